"""SHOW USER FUNCTIONS."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.functions import ShowUserFunctions
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope

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
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)
