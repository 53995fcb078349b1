"""SHOW TABLE STREAMS, and SHOW STREAMS; with EXTENDED also what waits in each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from headwater.catalog.streams import Stream, StreamSource
from headwater.result import Column, Result, Row
from headwater.sql.privileges import Securable
from headwater.sql.streams import ShowTableStreams
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.stream_source import Watched, watched
from headwater.statements.stream_standing import standing_of
from headwater.statements.visibility import seen

COLUMNS = (
    Column("create_time", "timestamp"),
    Column("schema_name", "string"),
    Column("name", "string"),
    Column("table_name", "string"),
    Column("mode", "string"),
    Column("comment", "string"),
)
FURTHER = (
    Column("base_tables", "string"),
    Column("stale", "boolean"),
    Column("offset", "string"),
    Column("current_offset_time", "timestamp"),
    Column("current_offset_version", "bigint"),
    Column("has_data", "boolean"),
    Column("stale_after", "timestamp"),
    Column("warning", "string"),
)


def show_table_streams(context: Context, statement: ShowTableStreams) -> Result:
    """The streams of a schema, by name, those on volumes among them."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    streams = [
        stream
        for stream in context.store.streams.list(workspace, schema)
        if sees(stream.schema, stream.name)
    ]
    rows = [_row(context, stream) for stream in streams]
    if not statement.extended:
        return filtered(context, COLUMNS, rows, statement.filter, like_column=2)
    further = _further(context, streams)
    whole = [(*row, *more) for row, more in zip(rows, further, strict=True)]
    return filtered(context, (*COLUMNS, *FURTHER), whole, statement.filter, like_column=2)


def _row(context: Context, stream: Stream) -> Row:
    return (
        context.session.local(stream.created_at),
        stream.schema,
        stream.name,
        _source(context, stream),
        stream.mode.value,
        stream.comment,
    )


def _further(context: Context, streams: Iterable[Stream]) -> list[Row]:
    """How each stands; what several watch is looked at once."""
    sources: dict[tuple[StreamSource, str], Watched] = {}
    rows: list[Row] = []
    for stream in streams:
        key = stream.source, stream.source_id
        if key not in sources:
            sources[key] = watched(context, stream)
        stands = standing_of(context, stream, sources[key])
        rows.append(tuple(getattr(stands, field.name) for field in fields(stands)))
    return rows


def _source(context: Context, stream: Stream) -> str | None:
    """The name alone of what a stream watches; None when that is gone for good."""
    if stream.source is StreamSource.VOLUME:
        volume = context.store.volumes.by_id(stream.source_id)
        return volume.name if volume is not None else None
    table = context.store.tables.get_by_id(stream.source_id)
    return table.name if table is not None else None
