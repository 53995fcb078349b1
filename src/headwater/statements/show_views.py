"""SHOW VIEWS."""

from __future__ import annotations

from headwater.catalog.objects import TableKind
from headwater.result import Result, string_columns
from headwater.sql.privileges import Securable
from headwater.sql.show import ShowViews
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = string_columns("schema_name", "view_name")


def show_views(context: Context, statement: ShowViews) -> Result:
    """The views of a schema."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    rows = [
        (table.schema, table.name)
        for table in context.store.tables.listing(workspace, schema)
        if table.kind is TableKind.VIEW and sees(table.schema, table.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)
