"""SHOW TABLES HISTORY: the tables that are, and those that were dropped and can come back."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.result import Column, Result, Row
from headwater.sql.privileges import Securable
from headwater.sql.show import ShowTablesHistory
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen
from headwater.tables.retention import retention_days
from headwater.tables.versions import catch_up_all

COLUMNS = (
    Column("schema_name", "string"),
    Column("table_name", "string"),
    Column("create_time", "timestamp"),
    Column("creator", "string"),
    Column("rows", "bigint"),
    Column("bytes", "bigint"),
    Column("comment", "string"),
    Column("retention_time", "bigint"),
    Column("delete_time", "timestamp"),
)


def show_tables_history(context: Context, statement: ShowTablesHistory) -> Result:
    """Live tables first, then dropped ones, latest drop first."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    known = [t for t in context.store.tables.list(workspace, schema) if sees(t.schema, t.name)]
    live = catch_up_all(context.lake, known)
    # What is dropped has nothing granted on it.
    everything = context.session.identity.sees_all
    tables = [*live, *(context.store.tables.dropped(workspace, schema) if everything else ())]
    rows = [_row(context, table) for table in tables if table.kind.stores_rows]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)


def _row(context: Context, table: Table) -> Row:
    return (
        table.schema,
        table.name,
        context.session.local(table.created_at),
        table.creator,
        table.shape.totals.rows,
        table.shape.totals.bytes,
        table.comment,
        retention_days(context.lake.config, table),
        context.session.local(table.dropped_at),
    )
