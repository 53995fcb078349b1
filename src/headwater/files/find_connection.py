"""From the name of a connection to the connection, with an error that suggests the nearest one."""

from __future__ import annotations

from headwater.catalog.connections import Connection
from headwater.errors import Span, UserError
from headwater.names import did_you_mean, show_identifier
from headwater.runtime.open_lake import OpenLake


def find_connection(
    lake: OpenLake, workspace: str, name: str, *, span: Span | None = None
) -> Connection:
    """The connection of that name, or CONNECTION_NOT_FOUND."""
    found = lake.store.connections.get(workspace, name)
    if found is None:
        _require_workspace(lake, workspace, span)
        known = [connection.name for connection in lake.store.connections.list(workspace)]
        hint = did_you_mean(name, known)
        raise UserError("CONNECTION_NOT_FOUND", name=show_identifier(name), span=span, hint=hint)
    return found


def _require_workspace(lake: OpenLake, name: str, span: Span | None) -> None:
    if lake.store.workspaces.get(name) is None:
        hint = did_you_mean(name, [known.name for known in lake.store.workspaces.list()])
        raise UserError("WORKSPACE_NOT_FOUND", workspace=name, span=span, hint=hint)
