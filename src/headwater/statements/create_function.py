"""CREATE [OR REPLACE] FUNCTION: the body was compiled while it was read; Spark is not needed."""

from __future__ import annotations

import uuid

from headwater.catalog.functions import Function
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.create_function import CreateFunction
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema


def create_function(context: Context, statement: CreateFunction) -> Result:
    """Make a function, or give one another definition."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "function", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    known = context.store.functions.get(name.workspace, name.schema, name.name)
    if statement.if_not_exists and known is not None:
        return Result(message=f"function {name} exists already")
    if known is not None and not statement.or_replace:
        raise UserError("FUNCTION_ALREADY_EXISTS", name=name, span=statement.name_span)
    context.lake.writer.ensure()
    at = now()
    function = Function(
        id=uuid.uuid4().hex,
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        parameters=statement.parameters,
        returns=statement.returns,
        body=statement.body,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        deterministic=statement.deterministic,
        comment=statement.comment,
    )
    if not statement.or_replace:
        context.store.functions.create(function)
        return Result(message=f"function {name} created")
    replaced = context.store.functions.create_or_replace(function)
    return Result(message=f"function {name} {'replaced' if replaced else 'created'}")
