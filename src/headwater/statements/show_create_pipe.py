"""SHOW CREATE PIPE."""

from __future__ import annotations

from headwater.names import ObjectName, quote_literal
from headwater.pipes.find_pipe import find_pipe
from headwater.result import Result, string_columns
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import ShowCreatePipe
from headwater.statements.context import Context


def show_create_pipe(context: Context, statement: ShowCreatePipe) -> Result:
    """The statement that makes the same pipe; a password in it is masked."""
    span = context.span_of(statement.name, last=True)
    pipe = find_pipe(context.store, context.qualify(statement.name), span=span)
    lines = [
        f"CREATE PIPE {ObjectName.of(pipe.workspace, pipe.schema, pipe.name)}",
        properties_of(pipe.properties).to_sql(),
    ]
    if pipe.comment is not None:
        lines.append(f"COMMENT {quote_literal(pipe.comment)}")
    lines.append(f"AS {pipe.body}")
    return Result.from_rows(string_columns("sql"), [("\n".join(lines),)])
