"""What a stream watches, as statements show it: its name and its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.catalog.objects import Table, TableKind, TableState
from headwater.catalog.streams import Stream, StreamSource
from headwater.names import QualifiedName
from headwater.statements.context import Context
from headwater.streams.columns import stream_columns
from headwater.streams.readable import source_of
from headwater.tables.versions import catch_up, catch_up_all


@dataclass(frozen=True, slots=True)
class Watched:
    """The source of a stream; no name when it is gone for good, no table when it is a volume."""

    name: QualifiedName | None
    table: Table | None = None


def watched(context: Context, stream: Stream) -> Watched:
    """What a stream watches, as it is now."""
    if stream.source is StreamSource.VOLUME:
        volume = context.store.volumes.by_id(stream.source_id)
        if volume is None:
            return Watched(None)
        return Watched(QualifiedName(volume.workspace, volume.schema, volume.name))
    table = source_of(context.lake, stream)
    if table is not None and table.state is TableState.ACTIVE:
        table = catch_up(context.lake, table)
    return _watched_table(table)


def all_watched(context: Context, streams: Sequence[Stream]) -> list[Watched]:
    """What each watches, as it is now: the tables are asked for at once."""
    ids = {one.source_id for one in streams if one.source is not StreamSource.VOLUME}
    known = context.store.tables.by_ids(sorted(ids))
    alive = [table for table in known.values() if table.state is TableState.ACTIVE]
    now = known | {table.id: table for table in catch_up_all(context.lake, alive)}
    return [
        watched(context, one)
        if one.source is StreamSource.VOLUME
        else _watched_table(now.get(one.source_id))
        for one in streams
    ]


def _watched_table(table: Table | None) -> Watched:
    if table is None:
        return Watched(None)
    return Watched(QualifiedName(table.workspace, table.schema, table.name), table)


def with_columns(context: Context, table: Table) -> Table:
    """A table, view or stream with the columns it has now."""
    if table.kind is not TableKind.STREAM:
        return catch_up(context.lake, table)
    stream = context.store.streams.by_id(table.id)
    if stream is None:
        return table  # dropped a moment ago
    columns = stream_columns(stream, watched(context, stream).table)
    return replace(table, shape=replace(table.shape, columns=columns))
