"""DROP PIPE."""

from __future__ import annotations

from headwater.pipes.find_pipe import find_pipe
from headwater.result import Result
from headwater.sql.pipes import DropPipe
from headwater.statements.context import Context


def drop_pipe(context: Context, statement: DropPipe) -> Result:
    """Forget a pipe; what it loaded stays. A batch under way still ends."""
    name = context.qualify(statement.name)
    known = context.store.pipes.get(name.workspace, name.schema, name.name)
    if statement.if_exists and known is None:
        return Result(message=f"there is no pipe {name}")
    pipe = find_pipe(context.store, name, span=context.span_of(statement.name, last=True))
    context.store.pipes.drop(pipe)
    return Result(message=f"pipe {name} dropped, its data stays")
