"""DROP TABLE: gone from sight; the files wait for UNDROP until the retention is over."""

from __future__ import annotations

from headwater.catalog.objects import Table, TableKind
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.sql.drop import DropTable
from headwater.statements.context import Context
from headwater.tables.find import find_base_table, not_a_table
from headwater.tables.registration import unregister_table
from headwater.tables.versions import catch_up


def drop_table(context: Context, statement: DropTable) -> Result:
    """Drop a table."""
    if statement.name.schema is None and statement.name.name in context.session.temporary_views:
        hint, span = f"DROP VIEW {statement.name}", context.span_of(statement.name)
        raise UserError(
            "NOT_A_TABLE",
            name=statement.name,
            kind="a view",
            statement="DROP TABLE",
            span=span,
            hint=hint,
        )
    name = context.qualify(statement.name)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None and statement.if_exists:
        return Result(message=f"there is no table {name}")
    if existing is not None and existing.kind is TableKind.KAFKA:
        return _drop_kafka_table(context, existing)
    span = context.span_of(statement.name)
    table = find_base_table(context.store, name, statement="DROP TABLE", span=span)
    if table.kind.is_refreshed:
        raise not_a_table(table, name, statement="DROP TABLE", span=span)
    drop_stored(context, table)
    return Result(message=f"table {name} dropped; UNDROP TABLE {name} brings it back")


def drop_stored(context: Context, table: Table) -> None:
    """Put a table with rows out of sight."""
    context.lake.writer.ensure()
    with context.lake.locks.hold(table.id):
        context.store.tables.drop(catch_up(context.lake, table), now())
        reach("drop.after_catalog")
        unregister_table(context.lake, table)


def _drop_kafka_table(context: Context, table: Table) -> Result:
    """There is nothing to bring back: the messages are Kafka's."""
    context.lake.writer.ensure()
    dropped = context.store.tables.drop(table, now())
    context.store.tables.purge(dropped.id)
    return Result(message=f"table {table.schema}.{table.name} dropped; its topics stay")
