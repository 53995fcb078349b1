"""SHOW TABLES."""

from __future__ import annotations

from headwater.catalog.objects import TableKind
from headwater.names import ObjectName
from headwater.result import Column, Result
from headwater.sql.privileges import Securable
from headwater.sql.show import ShowTables
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.information_schema import VIEW_COLUMNS
from headwater.statements.schema_name import schema_parts
from headwater.statements.visibility import require_seen_schema, seen
from headwater.tables.find import INFORMATION_SCHEMA, find_schema

COLUMNS = (
    Column("schema_name", "string"),
    Column("table_name", "string"),
    Column("is_view", "boolean"),
    Column("is_materialized_view", "boolean"),
    Column("is_external", "boolean"),
    Column("is_dynamic", "boolean"),
)


def show_tables(context: Context, statement: ShowTables) -> Result:
    """The tables and views of a schema."""
    if statement.schema is not None and statement.schema.name == INFORMATION_SCHEMA:
        views = [(INFORMATION_SCHEMA, n, True, False, False, False) for n in sorted(VIEW_COLUMNS)]
        return filtered(context, COLUMNS, views, statement.filter, like_column=1)
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    rows = [
        (
            table.schema,
            table.name,
            table.kind is TableKind.VIEW,
            table.kind is TableKind.MATERIALIZED_VIEW,
            table.kind is not TableKind.VIEW and not table.managed,
            table.kind is TableKind.DYNAMIC,
        )
        for table in context.store.tables.listing(workspace, schema)
        if sees(table.schema, table.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)


def scope(context: Context, schema: ObjectName | None) -> tuple[str, str]:
    """The schema a SHOW looks into: the one it names, else the session's."""
    if schema is None:
        current = (context.session.workspace, context.session.schema)
        find_schema(context.store, *current)
        return current
    workspace, name = schema_parts(context, schema)
    require_seen_schema(context, workspace, name)
    find_schema(context.store, workspace, name, span=context.span_of(schema))
    return workspace, name
