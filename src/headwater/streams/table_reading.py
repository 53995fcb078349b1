"""Reading a table stream: from its offset to the table as it is now, as a relation for Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headwater.catalog.objects import Table, TableColumn, TableState
from headwater.catalog.streams import Stream, StreamOffset
from headwater.lake.changes.ranges import ChangeRange, Wanted
from headwater.lake.changes.read import ChangedTable, Changes, read_changes
from headwater.lake.delta_log.layout import shape_of
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.runtime.open_lake import OpenLake
from headwater.streams.columns import require_free_names
from headwater.streams.commit_columns import (
    CHANGE_TYPE,
    DELTA_VERSION,
    MOST_IN_TEXT,
    CommitTime,
    by_delta_version,
    with_commits_in_text,
    with_commits_joined,
)
from headwater.streams.pending import WANTED
from headwater.streams.readable import require_readable, source_of
from headwater.streams.reads import StreamRead
from headwater.tables.properties import ROW_TRACKING
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, slots=True)
class ChangesReader:
    """What reads changes: the session's Spark, and names for the temporary views it needs."""

    lake: OpenLake
    spark: SparkConnection
    new_view: Callable[[], str]


@dataclass(frozen=True, slots=True)
class ChangesRelation:
    """A relation to stand after FROM, and the temporary views that it reads."""

    sql: str
    views: tuple[str, ...] = ()


def plan_table_read(lake: OpenLake, stream: Stream) -> StreamRead:
    """Up to where the stream is read: its table as it is now."""
    table = source_of(lake, stream)
    if table is not None and table.state is TableState.ACTIVE:
        table = catch_up(lake, table)
    found = require_readable(lake, stream, table)
    assert table is not None
    to = StreamOffset(table.shape.delta_version)
    return StreamRead(stream, to, warning=found.warning, table=table)


def stream_relation(reader: ChangesReader, read: StreamRead, table: Table) -> ChangesRelation:
    """The rows of a stream, with the columns that say what happened to them and when."""
    stream, end = read.stream, read.to.position
    wanted = WANTED[stream.mode]
    if not stream.offset.initial:
        return changes_between(reader, table, ChangeRange(stream.offset.position, end), wanted)
    then = _as_it_was(reader.lake, table, end)
    if wanted is Wanted.NET:
        return _with_commits(reader, then, _snapshot(reader, then, then), first=0)
    begun = _as_it_was(reader.lake, table, stream.offset.position)
    later = _read(reader, then, ChangeRange(stream.offset.position, end), wanted)
    both = f"({_rows(_snapshot(reader, begun, then))} UNION ALL {_rows(later.sql)})"
    shown = _with_commits(reader, then, both, first=0)
    return ChangesRelation(shown.sql, (*later.views, *shown.views))


def changes_between(
    reader: ChangesReader, table: Table, between: ChangeRange, wanted: Wanted
) -> ChangesRelation:
    """What happened to a table between two Delta versions, with the columns it had at the end."""
    then = _as_it_was(reader.lake, table, between.to_version)
    found = _read(reader, then, between, wanted)
    # Old images may be of any version; inserted rows are of the range.
    first = between.from_version + 1 if found.insert_only else 0
    shown = _with_commits(reader, then, found.sql, first=first)
    return ChangesRelation(shown.sql, (*found.views, *shown.views))


def _as_it_was(lake: OpenLake, table: Table, version: int) -> Table:
    """The table with the columns and properties it had at a Delta version."""
    if version == table.shape.delta_version:
        return table
    metadata = read_metadata(lake.log_files(table), version)
    shape = replace(table.shape, delta_version=version)
    return replace(table, shape=shape_of(metadata, shape) if metadata is not None else shape)


def _read(reader: ChangesReader, then: Table, between: ChangeRange, wanted: Wanted) -> Changes:
    name = f"{then.schema}.{then.name}"
    changed = ChangedTable(reader.lake.location(then), then.shape.columns, name)
    return read_changes(reader.spark, changed, between, wanted, new_view=reader.new_view)


def _snapshot(reader: ChangesReader, then: Table, later: Table) -> str:
    """All rows that were there, as inserted, with the columns that the table has later."""
    name, version = register_table(reader.lake, then), then.shape.delta_version
    tracked = then.shape.properties.get(ROW_TRACKING) == "true"
    # Rows that have no ids yet do not know their version either: they were there by this one.
    written = "_metadata.row_commit_version" if tracked else f"{version}L"
    had = {column.name for column in then.shape.columns}
    columns = "".join(f", {_column(c, had=c.name in had)}" for c in later.shape.columns)
    return (
        f"(SELECT 'INSERT' AS {CHANGE_TYPE}, {written} AS {DELTA_VERSION}{columns} "  # noqa: S608
        f"FROM {name} VERSION AS OF {version})"
    )


def _column(column: TableColumn, *, had: bool) -> str:
    name = quote_identifier(column.name)
    return name if had else f"CAST(NULL AS {column.type}) AS {name}"


def _rows(relation: str) -> str:
    return f"SELECT * FROM {relation}"  # noqa: S608 - our own text


def _with_commits(
    reader: ChangesReader, then: Table, changes: str, *, first: int
) -> ChangesRelation:
    require_free_names(then)
    columns = [column.name for column in then.shape.columns]
    found = reader.lake.store.versions.commit_times(then.id, since=first)
    commits = [CommitTime(*commit) for commit in found]
    pairs = by_delta_version(commits, first, then.shape.delta_version)
    if len(pairs) <= MOST_IN_TEXT:
        return ChangesRelation(with_commits_in_text(changes, columns, pairs))
    view = reader.new_view()
    reader.spark.create_view(view, _as_arrow(pairs))
    return ChangesRelation(with_commits_joined(changes, columns, view), (view,))


def _as_arrow(pairs: Sequence[tuple[int, CommitTime]]) -> pyarrow.Table:
    import pyarrow

    return pyarrow.table(
        {
            "delta_version": pyarrow.array([d for d, _ in pairs], pyarrow.int64()),
            "version": pyarrow.array([c.version for _, c in pairs], pyarrow.int64()),
            "at": pyarrow.array([c.at for _, c in pairs], pyarrow.timestamp("us", tz="UTC")),
        }
    )
