"""SHOW SCHEMAS."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.show import ShowSchemas
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = string_columns("schema_name")


def show_schemas(context: Context, statement: ShowSchemas) -> Result:
    """The schemas of the workspace."""
    rows = [(schema.name,) for schema in context.store.schemas.list(context.session.workspace)]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
