"""Reading a table stream: from its offset to the table as it is now, as a relation for Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.catalog.objects import Table
from headwater.catalog.streams import Stream, StreamMode, StreamOffset
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.changes.read import ChangedTable, Changes, read_changes
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.runtime.open_lake import OpenLake
from headwater.streams.commit_columns import (
    CHANGE_TYPE,
    DELTA_VERSION,
    MOST_IN_TEXT,
    CommitTime,
    by_delta_version,
    with_commits_in_text,
    with_commits_joined,
)
from headwater.streams.reads import StreamRead
from headwater.streams.staleness import require_readable
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up

_WANTED = {StreamMode.STANDARD: Wanted.NET, StreamMode.APPEND_ONLY: Wanted.INSERTED}


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
    table = catch_up(lake, require_readable(lake, stream))
    return StreamRead(stream, StreamOffset(table.shape.delta_version))


def stream_relation(reader: ChangesReader, read: StreamRead, table: Table) -> ChangesRelation:
    """The rows of a stream, with the columns that say what happened to them and when."""
    stream, end = read.stream, read.to.position
    wanted = _WANTED[stream.mode]
    if not stream.offset.initial:
        return changes_between(reader, table, ChangeRange(stream.offset.position, end), wanted)
    if wanted is Wanted.NET:
        return _with_commits(reader, table, _snapshot(reader, table, end), first=0, last=end)
    begun = stream.offset.position
    later = _read(reader, table, ChangeRange(begun, end), wanted)
    both = f"({_rows(_snapshot(reader, table, begun))} UNION ALL {_rows(later.sql)})"
    shown = _with_commits(reader, table, both, first=0, last=end)
    return ChangesRelation(shown.sql, (*later.views, *shown.views))


def changes_between(
    reader: ChangesReader, table: Table, between: ChangeRange, wanted: Wanted
) -> ChangesRelation:
    """What happened to a table between two Delta versions."""
    found = _read(reader, table, between, wanted)
    # Old images may be of any version; inserted rows are of the range.
    only_new = found.insert_only or found.reader is Reader.NOTHING
    first = between.from_version + 1 if only_new else 0
    shown = _with_commits(reader, table, found.sql, first=first, last=between.to_version)
    return ChangesRelation(shown.sql, (*found.views, *shown.views))


def _read(reader: ChangesReader, table: Table, between: ChangeRange, wanted: Wanted) -> Changes:
    changed = ChangedTable(reader.lake.location(table), table.shape.columns)
    return read_changes(reader.spark, changed, between, wanted, new_view=reader.new_view)


def _snapshot(reader: ChangesReader, table: Table, version: int) -> str:
    """All rows that were there at a Delta version, as inserted."""
    name = register_table(reader.lake, table)
    columns = "".join(f", {quote_identifier(column.name)}" for column in table.shape.columns)
    return (
        f"(SELECT 'INSERT' AS {CHANGE_TYPE}, _metadata.row_commit_version AS {DELTA_VERSION}"  # noqa: S608
        f"{columns} FROM {name} VERSION AS OF {version})"
    )


def _rows(relation: str) -> str:
    return f"SELECT * FROM {relation}"  # noqa: S608 - our own text


def _with_commits(
    reader: ChangesReader, table: Table, changes: str, *, first: int, last: int
) -> ChangesRelation:
    columns = [column.name for column in table.shape.columns]
    found = reader.lake.store.versions.commit_times(table.id, since=first)
    commits = [CommitTime(*commit) for commit in found]
    pairs = by_delta_version(commits, first, last)
    if len(pairs) <= MOST_IN_TEXT:
        return ChangesRelation(with_commits_in_text(changes, columns, pairs))
    import pyarrow

    view = reader.new_view()
    table_of_commits = pyarrow.table(
        {
            "delta_version": pyarrow.array([d for d, _ in pairs], pyarrow.int64()),
            "version": pyarrow.array([c.version for _, c in pairs], pyarrow.int64()),
            "at": pyarrow.array([c.at for _, c in pairs], pyarrow.timestamp("us", tz="UTC")),
        }
    )
    reader.spark.create_view(view, table_of_commits)
    return ChangesRelation(with_commits_joined(changes, columns, view), (view,))
