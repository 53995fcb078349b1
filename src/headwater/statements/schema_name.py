"""A schema's name: one or two parts, read as [workspace.]schema."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.statements.context import Context


def schema_parts(context: Context, name: ObjectName) -> tuple[str, str]:
    """Workspace and schema of a name that stands for a schema."""
    if name.workspace is not None:
        problem = f"{name} has three parts; a schema has at most two: workspace.schema"
        raise UserError("SYNTAX_ERROR", problem=problem, span=context.span_of(name))
    return name.schema or context.session.workspace, name.name
