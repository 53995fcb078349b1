"""SHOW PIPES."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.names import ObjectName, did_you_mean
from headwater.result import Result, string_columns
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import ShowPipes
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = string_columns("pipe_name", "pipe_kind", "status", "copy_statement", "virtual_cluster")


def show_pipes(context: Context, statement: ShowPipes) -> Result:
    """The pipes of a schema, or of a workspace."""
    if statement.workspace is not None:
        workspace, schema = _known_workspace(context, statement.workspace), None
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


def _known_workspace(context: Context, name: ObjectName) -> str:
    known = [workspace.name for workspace in context.store.workspaces.list()]
    if name.name not in known:
        hint, span = did_you_mean(name.name, known), context.span_of(name)
        raise UserError("WORKSPACE_NOT_FOUND", workspace=name.name, span=span, hint=hint)
    return name.name
