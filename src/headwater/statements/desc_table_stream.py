"""DESC TABLE STREAM, and DESC STREAM."""

from __future__ import annotations

from headwater.catalog.streams import Stream
from headwater.result import Result, string_columns
from headwater.sql.create_stream import INITIAL_ROWS, MODE
from headwater.sql.streams import DescTableStream
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.stream_source import watched
from headwater.statements.stream_standing import standings
from headwater.streams.find_stream import find_stream


def desc_table_stream(context: Context, statement: DescTableStream) -> Result:
    """What is known of a stream; with EXTENDED also what waits in it, and until when."""
    name, span = context.qualify(statement.name), context.span_of(statement.name, last=True)
    stream = find_stream(context.store, name, statement="DESC TABLE STREAM", span=span)
    source = watched(context, stream)
    local = context.session.local
    (stands,) = standings(context, [(stream, source)])
    rows = info_rows(
        name=stream.name,
        creator=stream.creator,
        created_time=local(stream.created_at),
        last_modified_time=local(stream.modified_at),
        comment=stream.comment,
        properties=shown_properties(_properties(stream)),
        workspace=stream.workspace,
        base_tables=stands.base_tables,
        stale=str(stands.stale).lower(),
        offset=stands.offset,
        current_offset_time=stands.reached_at,
        current_offset_version=stands.reached_version,
    )
    if statement.extended:
        rows += info_rows(
            has_data=None if stands.has_data is None else str(stands.has_data).lower(),
            stale_after=stands.stale_after,
            warning=stands.warning,
        )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _properties(stream: Stream) -> dict[str, str]:
    shown = {MODE.lower(): stream.mode.value}
    if stream.show_initial_rows:
        shown[INITIAL_ROWS.lower()] = "true"
    return shown
