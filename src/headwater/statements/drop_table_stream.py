"""DROP TABLE STREAM, and DROP STREAM: the offset is forgotten; what it watches stays."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.streams import DropTableStream
from headwater.statements.context import Context
from headwater.streams.find_stream import find_stream


def drop_table_stream(context: Context, statement: DropTableStream) -> Result:
    """Forget a stream."""
    name = context.qualify(statement.name)
    if (
        statement.if_exists
        and context.store.tables.get(name.workspace, name.schema, name.name) is None
    ):
        return Result(message=f"there is no stream {name}")
    span = context.span_of(statement.name, last=True)
    stream = find_stream(context.store, name, statement="DROP TABLE STREAM", span=span)
    context.lake.writer.ensure()
    context.store.streams.drop(stream)
    return Result(message=f"stream {name} dropped")
