"""CREATE TABLE STREAM: from now on, or from a moment, the changes of a table are kept for it."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table, TableKind
from headwater.catalog.streams import StreamMode, StreamOffset, StreamSource
from headwater.errors import NotSupported, UserError
from headwater.names import QualifiedName
from headwater.result import Result
from headwater.sql.create_stream import CreateTableStream
from headwater.statements.context import Context
from headwater.statements.new_stream import new_name, new_stream
from headwater.statements.time_travel import version_by_time
from headwater.streams.columns import require_free_names
from headwater.streams.readable import require_kept
from headwater.streams.tracking import is_tracked, switch_tracking_on
from headwater.tables.find import find_table
from headwater.tables.versions import catch_up


def create_table_stream(context: Context, statement: CreateTableStream) -> Result:
    """Make a stream, or begin one anew."""
    new = new_name(context, statement)
    if new.exists:
        return Result(message=f"stream {new.name} exists already")
    table = _source(context, statement)
    context.lake.writer.ensure()
    # From the look at the versions on no VACUUM may take them, until the stream holds them itself.
    with context.session.lock, context.lake.locks.hold(table.id):
        note = _create(context, statement, new.name, table)
    message = f"stream {new.name} {new.done} on table {table.schema}.{table.name}{note}"
    return Result(message=message)


def _create(
    context: Context, statement: CreateTableStream, name: QualifiedName, table: Table
) -> str:
    """Store the stream; gives back what had to be done to the table for it."""
    if table.kind is TableKind.KAFKA:
        offset, note = _kafka_offset(context, statement, table), ""
    else:
        offset, note = _table_offset(context, statement, table)
    stream = new_stream(
        context,
        name,
        source=StreamSource.KAFKA if table.kind is TableKind.KAFKA else StreamSource.TABLE,
        source_id=table.id,
        mode=StreamMode(statement.mode),
        offset=offset,
        comment=statement.comment,
    )
    stream = replace(stream, show_initial_rows=statement.show_initial_rows)
    context.store.streams.create(stream, replace=statement.or_replace)
    return note


def _source(context: Context, statement: CreateTableStream) -> Table:
    """What the stream watches: a table, or a Kafka table."""
    name, span = statement.table, statement.table_span
    if name.schema is None and name.name in context.session.temporary_views:
        raise NotSupported("STREAM_ON_VIEW", span=span)
    table = find_table(context.store, context.qualify(name), span=span)
    if table.kind is TableKind.VIEW:
        raise NotSupported("STREAM_ON_VIEW", span=span)
    if table.kind is TableKind.STREAM:
        raise NotSupported("STREAM_ON_STREAM", name=context.qualify(name), span=span)
    require_free_names(table, span=span)
    return table


def _table_offset(
    context: Context, statement: CreateTableStream, table: Table
) -> tuple[StreamOffset, str]:
    """Where the stream begins, and what had to be done to the table for it."""
    lake, session = context.lake, context.session
    table = catch_up(lake, table)
    initial, note = statement.show_initial_rows, ""
    position = None
    if statement.timestamp is not None:
        span = statement.timestamp_span
        version = version_by_time(context, table, statement.timestamp, span=span)
        require_kept(lake, table, version, span=span)
        position = version.delta_version
    if not is_tracked(lake, table):
        table = switch_tracking_on(lake, session.spark(), table, author=context.author)
        note = ", whose change_tracking is on from now on"
    now_at = table.shape.delta_version
    return StreamOffset(now_at if position is None else position, initial=initial), note


def _kafka_offset(context: Context, statement: CreateTableStream, table: Table) -> StreamOffset:
    shown = f"{table.schema}.{table.name}"
    if statement.mode != StreamMode.APPEND_ONLY:
        raise UserError("KAFKA_STREAM_MODE", table=shown, span=statement.mode_span)
    if statement.timestamp is not None:
        raise NotSupported("KAFKA_STREAM_TIMESTAMP", table=shown, span=statement.timestamp_span)
    # Imported late: it brings the client of the brokers.
    from headwater.pipes.kafka_streams import first_offset

    return first_offset(context.lake, table, show_initial_rows=statement.show_initial_rows)
