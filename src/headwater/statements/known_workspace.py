"""The workspace that a SHOW .. IN WORKSPACE names."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.names import ObjectName, did_you_mean
from headwater.statements.context import Context


def known_workspace(context: Context, name: ObjectName) -> str:
    """Its name, if it is there."""
    known = [workspace.name for workspace in context.store.workspaces.list()]
    if name.name not in known:
        hint, span = did_you_mean(name.name, known), context.span_of(name)
        raise UserError("WORKSPACE_NOT_FOUND", workspace=name.name, span=span, hint=hint)
    return name.name
