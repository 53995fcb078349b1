"""How a stream stands now: up to where it was consumed, what waits in it, and until when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.catalog.objects import Around, Table, TableState, TableVersion
from headwater.catalog.streams import Stream, StreamSource
from headwater.statements.context import Context
from headwater.statements.stream_source import Watched
from headwater.streams.pending import pending
from headwater.streams.readable import staleness_by


@dataclass(frozen=True, slots=True)
class StreamStanding:
    """What DESC TABLE STREAM EXTENDED says of it beside its definition; moments in local time."""

    base_tables: str | None
    stale: bool
    offset: str
    reached_at: datetime | None
    reached_version: int | None
    has_data: bool | None
    stale_after: datetime | None
    warning: str | None


def standings(context: Context, streams: Sequence[tuple[Stream, Watched]]) -> list[StreamStanding]:
    """How streams on their sources stand, by the catalog and the logs of their tables alone."""
    places: dict[str, tuple[str, int, bool]] = {}
    for stream, source in streams:
        if stream.source is StreamSource.TABLE and source.table is not None:
            offset = stream.offset
            places[stream.id] = (source.table.id, offset.position, not offset.initial)
    known = dict(zip(places, context.store.versions.around(places.values()), strict=True))
    return [
        _standing(context, stream, source, known.get(stream.id, Around()))
        for stream, source in streams
    ]


def _standing(context: Context, stream: Stream, source: Watched, around: Around) -> StreamStanding:
    local, offset = context.session.local, stream.offset
    reached_at, version = _reached(stream, source.table, around.reached)
    stands = staleness_by(context.lake, stream, source.table, around.following)
    waits = pending(context.lake, stream, source.table)
    whole = offset.partitions is None
    return StreamStanding(
        base_tables=source.name.full if source.name is not None else None,
        stale=stands.stale or waits.problem is not None,
        offset=str(offset.position) if whole else json.dumps(offset.partitions),
        reached_at=local(reached_at),
        reached_version=version,
        has_data=waits.has_data,
        stale_after=local(stands.stale_after),
        warning=_gone(source.table) or waits.problem or stands.warning,
    )


def _reached(
    stream: Stream, table: Table | None, version: TableVersion | None
) -> tuple[datetime | None, int | None]:
    """The version a stream was consumed up to, as users count them, and its time."""
    moved = stream.consumed_at or stream.created_at
    if stream.source is StreamSource.KAFKA:
        return moved, None
    if stream.source is StreamSource.VOLUME:
        return moved, stream.offset.position
    if table is None:
        return None, None
    return (version.committed_at, version.version) if version is not None else (None, None)


def _gone(table: Table | None) -> str | None:
    if table is None or table.state is TableState.ACTIVE:
        return None
    return f"its table was dropped: UNDROP TABLE {table.schema}.{table.name}"
