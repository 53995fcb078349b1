"""The changes of a range as a relation that stands after FROM.

Columns: `__change_type` (INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE), `__delta_version` (the
version that wrote this image of the row), then the table's columns at the end of the range. The
version of a deleted row is NULL where rows have no ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.catalog.objects import TableColumn
from headwater.lake.changes.classify import Classified, classify
from headwater.lake.changes.commits import gone
from headwater.lake.changes.data_files import missing_because
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier


@dataclass(frozen=True, slots=True)
class ChangedTable:
    """A table whose changes are read: where it is, and its columns at the end of the range."""

    location: str
    columns: tuple[TableColumn, ...]
    name: str | None = None
    """For messages."""


@dataclass(frozen=True, slots=True)
class Changes:
    """A relation of changes; `views` are the temporary views it reads, to be dropped afterwards."""

    sql: str
    views: tuple[str, ...]
    insert_only: bool
    minimal: bool
    reader: Reader


def read_changes(
    spark: SparkConnection,
    table: ChangedTable,
    range: ChangeRange,
    wanted: Wanted,
    *,
    new_view: Callable[[], str],
) -> Changes:
    """The changes of `range`; errors as in `classify`, and CHANGES_GONE for files not there."""
    log = spark.folder(table.location).log
    classified = classify(log, range, wanted, name=table.name)
    return read_classified(spark, table, classified, new_view=new_view)


def read_classified(
    spark: SparkConnection,
    table: ChangedTable,
    classified: Classified,
    *,
    new_view: Callable[[], str],
) -> Changes:
    """The changes of a range that was classified before."""
    if classified.reader is Reader.NOTHING:
        return _nothing(table)
    _check_files(spark, table, classified)
    view = new_view()
    columns = tuple(column.name for column in table.columns)
    relation = spark.create_change_view(view, table.location, classified, columns)
    if relation is None:
        return _nothing(table)
    return Changes(
        relation,
        (view,),
        insert_only=classified.insert_only,
        minimal=classified.minimal,
        reader=classified.reader,
    )


def _check_files(spark: SparkConnection, table: ChangedTable, classified: Classified) -> None:
    reason = missing_because(spark.folder(table.location), classified.images)
    if reason is not None:
        raise gone(table.name or table.location, classified.range, reason)


def _nothing(table: ChangedTable) -> Changes:
    """A relation without rows, which takes no Spark job to make."""
    columns = [
        ("__change_type", "STRING"),
        ("__delta_version", "BIGINT"),
        *((column.name, column.type) for column in table.columns),
    ]
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quote_identifier(name)}" for name, kind in columns)
    return Changes(
        f"(SELECT {nulls} WHERE false)", (), insert_only=True, minimal=True, reader=Reader.NOTHING
    )
