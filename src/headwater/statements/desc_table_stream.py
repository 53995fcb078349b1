"""DESC TABLE STREAM, and DESC STREAM."""

from __future__ import annotations

import json
from datetime import datetime

from headwater.catalog.objects import Table, TableState
from headwater.catalog.streams import Stream, StreamSource
from headwater.result import Result, string_columns
from headwater.sql.create_stream import INITIAL_ROWS, MODE
from headwater.sql.streams import DescTableStream
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.stream_source import watched
from headwater.streams.find_stream import find_stream
from headwater.streams.pending import pending
from headwater.streams.readable import staleness_of


def desc_table_stream(context: Context, statement: DescTableStream) -> Result:
    """What is known of a stream; with EXTENDED also what waits in it, and until when."""
    name, span = context.qualify(statement.name), context.span_of(statement.name, last=True)
    stream = find_stream(context.store, name, statement="DESC TABLE STREAM", span=span)
    source = watched(context, stream)
    local = context.session.local
    reached_at, version = _reached(context, stream, source.table)
    offset = stream.offset
    stands = staleness_of(context.lake, stream, source.table)
    waits = pending(context.lake, stream, source.table)
    rows = info_rows(
        name=stream.name,
        creator=stream.creator,
        created_time=local(stream.created_at),
        last_modified_time=local(stream.modified_at),
        comment=stream.comment,
        properties=shown_properties(_properties(stream)),
        workspace=stream.workspace,
        base_tables=source.name.full if source.name is not None else None,
        stale=str(stands.stale or waits.problem is not None).lower(),
        offset=offset.position if offset.partitions is None else json.dumps(offset.partitions),
        current_offset_time=local(reached_at),
        current_offset_version=version,
    )
    if statement.extended:
        rows += info_rows(
            has_data=None if waits.has_data is None else str(waits.has_data).lower(),
            stale_after=local(stands.stale_after),
            warning=_gone(source.table) or waits.problem or stands.warning,
        )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _properties(stream: Stream) -> dict[str, str]:
    shown = {MODE.lower(): stream.mode.value}
    if stream.show_initial_rows:
        shown[INITIAL_ROWS.lower()] = "true"
    return shown


def _reached(
    context: Context, stream: Stream, table: Table | None
) -> tuple[datetime | None, int | None]:
    """The version a stream was consumed up to, as users count them, and its time."""
    moved = stream.consumed_at or stream.created_at
    if stream.source is StreamSource.KAFKA:
        return moved, None
    if stream.source is StreamSource.VOLUME:
        return moved, stream.offset.position
    if table is None:
        return None, None
    version = context.store.versions.at_delta(table.id, stream.offset.position)
    return (version.committed_at, version.version) if version is not None else (None, None)


def _gone(table: Table | None) -> str | None:
    if table is None or table.state is TableState.ACTIVE:
        return None
    return f"its table was dropped: UNDROP TABLE {table.schema}.{table.name}"
