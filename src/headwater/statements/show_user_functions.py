"""SHOW USER FUNCTIONS."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.functions import ShowUserFunctions
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = (
    Column("schema_name", "string"),
    Column("function_name", "string"),
    Column("parameters", "string"),
    Column("returns", "string"),
    Column("create_time", "timestamp"),
    Column("comment", "string"),
)


def show_user_functions(context: Context, statement: ShowUserFunctions) -> Result:
    """The functions of a schema."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.FUNCTION, workspace, schema)
    rows = [
        (
            function.schema,
            function.name,
            function.signature,
            function.returns,
            context.session.local(function.created_at),
            function.comment,
        )
        for function in context.store.functions.list(workspace, schema)
        if sees(function.schema, function.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)
