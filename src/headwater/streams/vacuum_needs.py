"""Who still needs old versions of a table: its streams, and the dynamic tables that read it."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable, Frontier
from headwater.catalog.objects import Table, TableVersion
from headwater.catalog.store import Store
from headwater.catalog.streams import StreamSource
from headwater.streams.readable import first_unconsumed
from headwater.streams.vacuum_horizon import Need


def vacuum_needs(store: Store, table: Table) -> list[Need]:
    """What each of them does not know yet; who is up to date needs nothing."""
    streams = [
        _need(
            store,
            table,
            f"stream {stream.qualified}",
            stream.offset.position,
            first_unconsumed(store, stream, table),
        )
        for stream in store.streams.watching(table.id)
        if stream.source is StreamSource.TABLE
    ]
    dynamic = [
        _need(
            store,
            table,
            f"dynamic table {reader.qualified}",
            frontier.sources[table.id],
            store.versions.after(table.id, frontier.sources[table.id]),
        )
        for reader in store.dynamic_tables.readers_of(table.id)
        for frontier in _frontiers(store, reader)
        if table.id in frontier.sources
    ]
    return [need for need in (*streams, *dynamic) if need is not None]


def _frontiers(store: Store, table: DynamicTable) -> list[Frontier]:
    """The frontier of a dynamic table, or those of its partitions."""
    if table.frontier is not None:
        return [table.frontier]
    return [one.frontier for one in store.dynamic_tables.partitions(table.id)]


def _need(
    store: Store, table: Table, reader: str, position: int, waiting: TableVersion | None
) -> Need | None:
    """What a reader still needs that stands at a Delta version, and for which another one waits."""
    if waiting is None:
        return None
    stands_at = store.versions.at_delta(table.id, position)
    since = stands_at.committed_at if stands_at is not None else table.created_at
    return Need(reader, since, waiting.committed_at)
