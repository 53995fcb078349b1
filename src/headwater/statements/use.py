"""USE: the schema that names without one belong to."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.schemas import Use
from headwater.statements.context import Context
from headwater.statements.schema_name import schema_parts
from headwater.tables.find import find_schema


def use(context: Context, statement: Use) -> Result:
    """Change the current schema of the session."""
    workspace, name = schema_parts(context, statement.name)
    find_schema(context.store, workspace, name, span=context.span_of(statement.name))
    context.session.workspace, context.session.schema = workspace, name
    return Result(message=f"using schema {name}")
