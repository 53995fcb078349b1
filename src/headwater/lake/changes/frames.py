"""From images to changes: a data frame with the type, the version and the row of each change.

Law: images of one row belong together by its id, in the order of their commits; without ids, equal
rows that came and went cancel each other. Rows that can have no counterpart take no shuffle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from headwater.lake.changes.canonical import canonical, is_plain
from headwater.lake.changes.classify import Classified
from headwater.lake.changes.delta_files import RESERVED, VERSION, DeltaFiles, FileRows
from headwater.lake.changes.images import CAME, WENT, ChangedVector, rewrites
from headwater.lake.changes.ranges import NETTED, Wanted
from headwater.names import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

CHANGE_TYPE, DELTA_VERSION = "__change_type", "__delta_version"
_ROW_ID, _ROW_VERSION = "_metadata.row_id", "_metadata.row_commit_version"


@dataclass(frozen=True, slots=True)
class PlainScan:
    """Changes that need nothing but the rows of files, and what to select from them."""

    rows: DataFrame
    selected: tuple[str, ...]


def changes_frame(
    session: SparkSession, location: str, classified: Classified, columns: Sequence[str]
) -> DataFrame | PlainScan | None:
    """Type, version and the table's columns of each change; None if there is none after all."""
    files = DeltaFiles(session, location, classified.range.to_version)
    whole = not RESERVED.isdisjoint(name.lower() for name in columns)
    alone, paired = _parted(_rows(files, classified, whole=whole), classified, whole=whole)
    if alone and not paired and not whole and not classified.row_ids and len(_groups(alone)) == 1:
        return PlainScan(files.frame(alone), _selected(alone[0].sign, VERSION, classified, columns))
    made = list(_unpaired(files, classified, alone, columns=columns))
    if paired:
        images = _images(files, classified, paired, columns=columns)
        changes = _by_id(images, classified) if classified.row_ids else _by_value(images)
        made.append(changes.toDF(CHANGE_TYPE, DELTA_VERSION, *columns))
    return _union(made) if made else None


def whole_changes_frame(
    session: SparkSession, location: str, classified: Classified, columns: Sequence[str]
) -> DataFrame | None:
    """The same as one data frame in any case."""
    found = changes_frame(session, location, classified, columns)
    return found.rows.selectExpr(*found.selected) if isinstance(found, PlainScan) else found


def _rows(files: DeltaFiles, classified: Classified, *, whole: bool) -> list[FileRows]:
    """The rows behind the images; with `whole` a changed vector is two images of its file."""
    rows: list[FileRows] = []
    for image in classified.images:
        body = image.file.body
        if not isinstance(image, ChangedVector):
            rows.append(FileRows(body, image.sign, image.version))
        elif whole:
            before = {**body, "deletionVector": image.before}
            rows.append(FileRows(before, WENT, image.went_at))
            rows.append(FileRows(body, CAME, image.version))
        else:
            rows.extend(files.differing(image))
    return rows


def _parted(
    rows: Sequence[FileRows], classified: Classified, *, whole: bool
) -> tuple[list[FileRows], list[FileRows]]:
    """Those that can have no counterpart, because nothing went or nothing came, and the others.

    Where only sums count, few rows have one: to look for them costs more than they do.
    """
    wanted = classified.wanted
    if wanted is Wanted.WEIGHTED and not whole and not rewrites(classified.images):
        return list(rows), []
    net = wanted in NETTED
    signs: defaultdict[int, set[int]] = defaultdict(set)
    for row in rows:
        signs[0 if net else row.version].add(row.sign)
    alone: list[FileRows] = []
    paired: list[FileRows] = []
    for row in rows:
        if len(signs[0 if net else row.version]) > 1:
            paired.append(row)
        elif row.sign == CAME or wanted is not Wanted.INSERTED:
            alone.append(row)
    return alone, paired


def _unpaired(
    files: DeltaFiles, classified: Classified, rows: Sequence[FileRows], *, columns: Sequence[str]
) -> Iterator[DataFrame]:
    """The changes that rows without a counterpart are."""
    for sign, version, frame in _scans(files, rows, columns=columns):
        # One text for all: to ask Spark for each column takes longer than to read a small file.
        yield frame.selectExpr(*_selected(sign, version, classified, columns))


def _selected(
    sign: int, version: str, classified: Classified, columns: Sequence[str]
) -> tuple[str, ...]:
    written = _ROW_VERSION if classified.row_ids else "NULL"
    at = _came_at(version, written, classified) if sign == CAME else written
    return (
        f"'{'INSERT' if sign == CAME else 'DELETE'}' AS {CHANGE_TYPE}",
        f"CAST({at} AS BIGINT) AS {DELTA_VERSION}",
        *(quote_identifier(name) for name in columns),
    )


def _images(
    files: DeltaFiles, classified: Classified, rows: Sequence[FileRows], *, columns: Sequence[str]
) -> DataFrame:
    """All rows with their sign, version and, where they have them, ids; columns are c0, c1, .."""
    ids = (_ROW_ID, _ROW_VERSION) if classified.row_ids else ("CAST(NULL AS BIGINT)",) * 2
    return _union(
        [
            frame.selectExpr(
                f"{sign} AS sign",
                f"CAST({version} AS BIGINT) AS version",
                f"{ids[0]} AS id",
                f"{ids[1]} AS row_version",
                *(f"{quote_identifier(name)} AS c{i}" for i, name in enumerate(columns)),
            )
            for sign, version, frame in _scans(files, rows, columns=columns)
        ]
    )


def _scans(
    files: DeltaFiles, rows: Sequence[FileRows], *, columns: Sequence[str]
) -> Iterator[tuple[int, str, DataFrame]]:
    """As few scans as the rows allow, each with its sign and the text of its version."""
    for (sign, _), group in _groups(rows).items():
        if RESERVED.isdisjoint(name.lower() for name in columns):
            yield sign, VERSION, files.frame(group)
        else:
            for version, frame in files.frames_by_version(group):
                yield sign, str(version), frame


def _groups(rows: Sequence[FileRows]) -> dict[tuple[int, bool], list[FileRows]]:
    """The rows that one scan can read together."""
    groups: defaultdict[tuple[int, bool], list[FileRows]] = defaultdict(list)
    for row in rows:
        groups[row.sign, row.only_marked].append(row)
    return groups


def _by_id(images: DataFrame, classified: Classified) -> DataFrame:
    """The first and the last image of a row: in the range for NET, else in each commit."""
    names, kinds = _columns(images), _kinds(images)
    keys = ("id",) if classified.wanted in NETTED else ("version", "id")
    grouped = images.selectExpr(
        *(key for key in keys if key != "version"),
        "version",
        f"version * 2 + if(sign = {CAME}, 1, 0) AS place",
        f"struct(sign, version, row_version, {', '.join(names)}) AS image",
    ).groupBy(*keys)
    from pyspark.sql import functions

    ends = grouped.agg(
        functions.expr("min_by(image, place)").alias("first"),
        functions.expr("max_by(image, place)").alias("last"),
    ).selectExpr(
        f"if(first.sign = {WENT}, first, NULL) AS old", f"if(last.sign = {CAME}, last, NULL) AS new"
    )
    same = " AND ".join(
        f"{canonical(f'old.{name}', kind)} <=> {canonical(f'new.{name}', kind)}"
        for name, kind in zip(names, kinds, strict=True)
    )
    changed = ends.where(f"old IS NULL OR new IS NULL OR NOT ({same})")
    if classified.wanted is Wanted.INSERTED:
        came = changed.where("old IS NULL AND new IS NOT NULL").selectExpr("new.*")
        return came.selectExpr("'INSERT' AS type", "version AS at", *names)
    before = "if(new IS NULL, 'DELETE', 'UPDATE_BEFORE')", "old.row_version"
    after = (
        "if(old IS NULL, 'INSERT', 'UPDATE_AFTER')",
        _came_at("new.version", "new.row_version", classified),
    )
    rows = (
        f"if({side} IS NULL, NULL, struct({kind} AS type, {at} AS at,"
        f" {', '.join(f'{side}.{name}' for name in names)}))"
        for side, (kind, at) in (("old", before), ("new", after))
    )
    return changed.selectExpr(f"inline(array_compact(array({', '.join(rows)})))")


def _by_value(images: DataFrame) -> DataFrame:
    """What came less what went, of each row; who wrote the rows that went is not known."""
    from pyspark.sql import functions

    names, kinds = _columns(images), _kinds(images)
    keys = [
        functions.expr(canonical(name, kind)).alias(f"k{i}")
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    summed = images.groupBy(*keys).agg(
        functions.expr("sum(sign)").alias("weight"),
        functions.expr(f"max(if(sign = {CAME}, version, NULL))").alias("version"),
        *(
            functions.expr(f"any_value({name})").alias(name)
            for name, kind in zip(names, kinds, strict=True)
            if not is_plain(kind)
        ),
    )
    plain = {f"c{i}": f"k{i}" for i, kind in enumerate(kinds) if is_plain(kind)}
    return (
        summed.where("weight <> 0")
        .withColumn("copy", functions.expr("explode(sequence(1, abs(weight)))"))
        .selectExpr(
            "if(weight > 0, 'INSERT', 'DELETE') AS type",
            "if(weight > 0, version, NULL) AS at",
            *(f"{plain.get(name, name)} AS {name}" for name in names),
        )
    )


def _came_at(version: str, row_version: str, classified: Classified) -> str:
    """The version that wrote the image of a row that came.

    A row that RESTORE brings back was written before the range: it came with the RESTORE.
    """
    if not classified.row_ids or classified.wanted not in NETTED:
        return version
    return f"if({row_version} > {classified.range.from_version}, {row_version}, {version})"


def _columns(images: DataFrame) -> list[str]:
    return [name for name in images.columns if name[0] == "c"]


def _kinds(images: DataFrame) -> list[DataType]:
    return [field.dataType for field in images.schema.fields if field.name[0] == "c"]


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionAll(other), frames)
