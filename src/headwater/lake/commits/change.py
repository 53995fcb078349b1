"""Rows that come and go: by a rewrite, by vectors, or by rewriting the files that hold them.

Law: of each row as many copies go as the change says; if fewer are there, it fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.lake.commits import weighted_rows
from headwater.lake.commits.choose import ROW_TRACKING, Limits, way_of_change
from headwater.lake.commits.delta_transaction import settings
from headwater.lake.commits.file_actions import marked
from headwater.lake.commits.near import rows_near
from headwater.lake.commits.stored_table import Body, place_of
from headwater.lake.commits.target import Outcome, Target
from headwater.lake.commits.weighted_rows import (
    equal_rows,
    inserted,
    named,
    numbered,
    rewritten,
    rows_that_go,
)
from headwater.lake.commits.writes import Change, How
from headwater.names import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PLACE = ("_metadata.file_path AS file_path", "_metadata.row_index AS row_index")


def change(target: Target, write: Change, limits: Limits) -> Outcome:
    """Write what a change needs, in the cheapest way."""
    weight = f"CAST({quote_identifier(write.weight)} AS BIGINT) AS weight"
    delta = target.query(write.delta, weight)
    way = way_of_change(target.stored, limits)
    if way is How.REWRITE:
        return _rewrite(target, delta)
    # Computed once, although it is read up to three times.
    with _kept(delta.selectExpr("monotonically_increasing_id() AS id", "*")) as kept:
        came, went = weighted_rows.counted(kept).collect()[0]
        if not went:
            written = target.write(inserted(kept, target.schema)) if came else ()
            return Outcome(How.APPEND if came else How.NOTHING, came, 0, written=written)
        # Its size is known from here on: Spark has nothing to learn from plans in steps, and each
        # step would be a job.
        with settings(target.session, {"spark.sql.adaptive.enabled": "false"}):
            if way is How.DELETION_VECTORS:
                return _deletion_vectors(target, kept, came=came, went=went)
            return _touched_files(target, kept, came=came, went=went)


def _rewrite(target: Target, delta: DataFrame) -> Outcome:
    stored = numbered(target.rows, target.schema)
    # One file, and a job without a shuffle: the table is small.
    summed = rewritten(stored.coalesce(1), delta.coalesce(1), target.schema)
    frame = named(summed, target.schema)
    written = tuple(target.transaction.write(frame))
    came, went = target.transaction.observed(frame, weighted_rows.COUNTS) or (0, 0)
    if not came and not went:
        return Outcome(How.NOTHING, 0, 0, written=written)
    copied = target.transaction.rows_written() - came
    return Outcome(
        How.REWRITE, came, went, written=written, removed=target.stored.files, copied=copied
    )


def _deletion_vectors(target: Target, delta: DataFrame, *, came: int, went: int) -> Outcome:
    near = numbered(rows_near(target, delta, went), target.schema, *_PLACE)
    places = rows_that_go(near, delta, target.schema)
    vectors = target.transaction.mark(
        places.selectExpr(
            "file_path AS filePath",
            f"{_vector_of_file(target)} AS deletionVectorId",
            "row_index AS rowIndexCol",
        )
    )
    if sum(vector.marks for vector in vectors) != went:
        raise target.missing_row()
    files = _by_place(target)
    touched = [files[place_of(vector.path, target.location)] for vector in vectors]
    again = (marked(file, vector.body) for file, vector in zip(touched, vectors, strict=True))
    return Outcome(
        How.DELETION_VECTORS,
        came,
        went,
        written=target.write(inserted(delta, target.schema)) if came else (),
        removed=tuple(touched),
        marked=tuple(file for file in again if file is not None),
        vectors=tuple(vector.body for vector in vectors),
    )


def _vector_of_file(target: Target) -> str:
    """An expression for the vector that a row's file has, by the file's name."""
    files = [file for file in target.stored.files if file.get("deletionVector") is not None]
    if not files:
        return "CAST(NULL AS STRING)"
    encoded = target.transaction.encoded([file["deletionVector"] for file in files])
    names = (file["path"].rpartition("/")[2] for file in files)
    pairs = ", ".join(f"{_text(a)}, {_text(b)}" for a, b in zip(names, encoded, strict=True))
    return f"try_element_at(map({pairs}), substring_index(file_path, '/', -1))"


def _touched_files_summed(target: Target, delta: DataFrame, *, came: int, went: int) -> Outcome:
    """As a rewrite, of the files alone that hold a row of which copies go."""
    rows = numbered(rows_near(target, delta, went), target.schema, _PLACE[0])
    found = equal_rows(rows, delta, target.schema).select("file_path").distinct().collect()
    files = _by_place(target)
    touched = tuple(files[place_of(path, target.location)] for (path,) in found)
    stored = numbered(target.transaction.rows_of(touched), target.schema)
    written = target.write(rewritten(stored, delta, target.schema))
    copied = target.transaction.rows_written() - came
    return Outcome(How.TOUCHED_FILES, came, went, written=written, removed=touched, copied=copied)


def _touched_files(target: Target, delta: DataFrame, *, came: int, went: int) -> Outcome:
    """By the places of rows: those that stay keep their ids."""
    if not target.stored.is_on(ROW_TRACKING):
        return _touched_files_summed(target, delta, came=came, went=went)
    near = numbered(rows_near(target, delta, went), target.schema, *_PLACE)
    places = rows_that_go(near, delta, target.schema)
    with _kept(places) as going:
        counts = going.groupBy("file_path").count().collect()
        if sum(count for _, count in counts) != went:
            raise target.missing_row()
        files = _by_place(target)
        touched = tuple(files[place_of(path, target.location)] for path, _ in counts)
        frame = _without(target, touched, going)
        if came:
            ids = frame.columns[len(target.schema.fields) :]
            nulls = (f"CAST(NULL AS BIGINT) AS {quote_identifier(name)}" for name in ids)
            rows = named(inserted(delta, target.schema), target.schema, *nulls)
            frame = frame.unionAll(rows)
        written = tuple(target.transaction.write(frame))
    copied = target.transaction.rows_written() - came
    return Outcome(How.TOUCHED_FILES, came, went, written=written, removed=touched, copied=copied)


def _without(target: Target, files: tuple[Body, ...], going: DataFrame) -> DataFrame:
    """The rows of files that stay, with their ids."""
    rows = target.transaction.rows_with_ids_of(files)
    ids = [quote_identifier(name) for name in rows.columns[len(target.schema.fields) :]]
    staying = numbered(rows, target.schema, *_PLACE, *ids).join(
        going, on=["file_path", "row_index"], how="left_anti"
    )
    return named(staying, target.schema, *ids)


def _by_place(target: Target) -> Mapping[str, Body]:
    return {place_of(file["path"], target.location): file for file in target.stored.files}


@contextmanager
def _kept(frame: DataFrame) -> Iterator[DataFrame]:
    kept = frame.persist()
    try:
        yield kept
    finally:
        kept.unpersist()


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
