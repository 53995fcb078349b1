"""SHOW SCHEMAS."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.privileges import Securable
from headwater.sql.show import ShowSchemas
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.visibility import seen

COLUMNS = string_columns("schema_name")


def show_schemas(context: Context, statement: ShowSchemas) -> Result:
    """The schemas of the workspace."""
    workspace = context.session.workspace
    sees = seen(context, Securable.SCHEMA, workspace)
    schemas = context.store.schemas.list(workspace)
    rows = [(schema.name,) for schema in schemas if sees(None, schema.name)]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
