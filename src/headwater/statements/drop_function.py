"""DROP FUNCTION."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.functions import DropFunction
from headwater.statements.context import Context
from headwater.statements.functions import find_function


def drop_function(context: Context, statement: DropFunction) -> Result:
    """Forget a function; views and pipes that call it fail from then on."""
    name = context.qualify(statement.name)
    known = context.store.functions.get(name.workspace, name.schema, name.name)
    if statement.if_exists and known is None:
        return Result(message=f"there is no function {name}")
    span = context.span_of(statement.name, last=True)
    function = find_function(context.store, name, span=span)
    context.lake.writer.ensure()
    context.store.functions.drop(function)
    return Result(message=f"function {name} dropped")
