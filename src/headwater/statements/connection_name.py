"""A connection's name: it belongs to a workspace, the session's if none is named."""

from __future__ import annotations

from headwater.catalog.connections import Connection
from headwater.files.find_connection import find_connection
from headwater.names import ObjectName
from headwater.statements.context import Context


def connection_of(context: Context, name: ObjectName) -> Connection:
    """The connection of that name, or an error at the place where the name stands."""
    workspace = name.workspace or context.session.workspace
    span = context.span_of(name, last=True)
    return find_connection(context.lake, workspace, name.name, span=span)
