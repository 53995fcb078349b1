"""The name of a stream inside a query: what changed since it was last consumed, as a relation."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table, TableKind
from headwater.catalog.streams import Stream, StreamSource
from headwater.errors import Span, UserError
from headwater.names import quote_identifier
from headwater.pipes.kafka_streams import plan_kafka_read
from headwater.pipes.kafka_tables import relation_of
from headwater.result import Result
from headwater.sql.relations import find_relations
from headwater.sql.tokens import tokenize
from headwater.statements.context import Context
from headwater.statements.kafka_relation import kafka_view
from headwater.statements.kafka_table import kafka_columns
from headwater.streams.commit_columns import CHANGE_TYPE, COMMIT_TIMESTAMP, COMMIT_VERSION
from headwater.streams.readable import require_readable, source_of
from headwater.streams.reads import StreamRead
from headwater.streams.table_reading import (
    ChangesReader,
    ChangesRelation,
    plan_table_read,
    stream_relation,
)
from headwater.tables.versions import catch_up


def stream_of(context: Context, name: Table) -> Stream:
    """The stream whose name was found among those of tables."""
    stream = context.store.streams.by_id(name.id)
    if stream is None:
        raise UserError("TABLE_NOT_FOUND", table=f"{name.schema}.{name.name}")
    return stream


def reads_stream(context: Context, text: str) -> bool:
    """Whether a text names a stream, itself or by a view."""
    for relation in find_relations(text, tokenize(text)).named:
        if relation.role != "read":
            continue
        name = context.qualify(relation.name)
        table = context.store.tables.get(name.workspace, name.schema, name.name)
        if table is None:
            continue
        if table.kind is TableKind.STREAM:
            return True
        if table.kind is TableKind.VIEW:
            where = replace(
                context, workspace=table.workspace, schema=table.view_schema or table.schema
            )
            if reads_stream(where, table.view_text or ""):
                return True
    return False


def stream_changes(context: Context, stream: Stream, span: Span) -> ChangesRelation | Result:
    """What the stream has to show; of a volume's stream the rows themselves."""
    try:
        read = stream_read(context, stream)
    except UserError as error:
        error.span = error.span or span
        raise
    if read.rows is not None:
        return read.rows
    table = read.table or _source(context, stream)
    if stream.source is StreamSource.KAFKA:
        return _kafka_relation(context, read, table)
    return stream_relation(changes_reader(context), read, table)


def stream_read(context: Context, stream: Stream) -> StreamRead:
    """How far the statement reads a stream, fixed by its first mention."""
    return context.reads.once(stream, lambda found: _plan(context, found))


def changes_reader(context: Context) -> ChangesReader:
    """Reads changes in the session of the statement."""
    session = context.session
    return ChangesReader(context.lake, session.spark(), session.next_view_name)


def _plan(context: Context, stream: Stream) -> StreamRead:
    if stream.source is StreamSource.VOLUME:
        # Imported late: it brings the clients of queues.
        from headwater.streams.volume_changes import volume_changes

        found = volume_changes(context.lake, stream)
        return StreamRead(stream, found.to, rows=found.rows)
    if stream.source is StreamSource.KAFKA:
        return plan_kafka_read(context.lake, stream, _source(context, stream), context.batch)
    return plan_table_read(context.lake, stream)


def _source(context: Context, stream: Stream) -> Table:
    table = source_of(context.lake, stream)
    require_readable(context.lake, stream, table)
    assert table is not None
    return catch_up(context.lake, table)


def _kafka_relation(context: Context, read: StreamRead, table: Table) -> ChangesRelation:
    """Messages are only ever added: their offset is their version, their time their own."""
    headers = any(column.name.lower() == "headers" for column in table.shape.columns)
    view = kafka_view(
        context, relation_of(context.lake, table), headers=headers, messages=read.messages
    )
    metadata = (
        f"'INSERT' AS {CHANGE_TYPE}, offset AS {COMMIT_VERSION}, timestamp AS {COMMIT_TIMESTAMP}"
    )
    columns = kafka_columns(table)
    sql = f"(SELECT {metadata}, {columns} FROM {quote_identifier(view)})"  # noqa: S608
    return ChangesRelation(sql, (view,))
