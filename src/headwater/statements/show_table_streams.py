"""SHOW TABLE STREAMS, and SHOW STREAMS."""

from __future__ import annotations

from headwater.catalog.streams import Stream, StreamSource
from headwater.result import Column, Result
from headwater.sql.privileges import Securable
from headwater.sql.streams import ShowTableStreams
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = (
    Column("create_time", "timestamp"),
    Column("schema_name", "string"),
    Column("name", "string"),
    Column("table_name", "string"),
    Column("mode", "string"),
    Column("comment", "string"),
)


def show_table_streams(context: Context, statement: ShowTableStreams) -> Result:
    """The streams of a schema, by name, those on volumes among them."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    rows = [
        (
            context.session.local(stream.created_at),
            stream.schema,
            stream.name,
            _source(context, stream),
            stream.mode.value,
            stream.comment,
        )
        for stream in context.store.streams.list(workspace, schema)
        if sees(stream.schema, stream.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=2)


def _source(context: Context, stream: Stream) -> str | None:
    """The name alone of what a stream watches; None when that is gone for good."""
    if stream.source is StreamSource.VOLUME:
        volume = context.store.volumes.by_id(stream.source_id)
        return volume.name if volume is not None else None
    table = context.store.tables.get_by_id(stream.source_id)
    return table.name if table is not None else None
