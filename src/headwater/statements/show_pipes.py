"""SHOW PIPES."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import ShowPipes
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.known_workspace import known_workspace
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = string_columns("pipe_name", "pipe_kind", "status", "copy_statement", "virtual_cluster")


def show_pipes(context: Context, statement: ShowPipes) -> Result:
    """The pipes of a schema, or of a workspace."""
    if statement.workspace is not None:
        workspace, schema = known_workspace(context, statement.workspace), None
    else:
        workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.PIPE, workspace, schema)
    rows = [
        (
            pipe.name,
            pipe.kind.value,
            pipe.status.value,
            pipe.body,
            properties_of(pipe.properties).virtual_cluster,
        )
        for pipe in context.store.pipes.list(workspace, schema)
        if sees(pipe.schema, pipe.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
