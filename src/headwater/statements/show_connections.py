"""SHOW CONNECTIONS."""

from __future__ import annotations

from headwater.catalog.connections import Connection
from headwater.result import Column, Result
from headwater.sql.connections import ShowConnections
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.visibility import seen

CATEGORY = "STORAGE"
COLUMNS = (
    Column("name", "string"),
    Column("category", "string"),
    Column("type", "string"),
    Column("enabled", "string"),
    Column("created_time", "timestamp"),
)


def show_connections(context: Context, statement: ShowConnections) -> Result:
    """The connections of the workspace."""
    workspace = context.session.workspace
    sees = seen(context, Securable.CONNECTION, workspace)
    rows = [
        (
            connection.name,
            CATEGORY,
            connection.type.value,
            enabled_text(connection),
            context.session.local(connection.created_at),
        )
        for connection in context.store.connections.list(workspace)
        if sees(None, connection.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)


def enabled_text(connection: Connection) -> str:
    """The word for whether a connection may be used."""
    return "ENABLED" if connection.enabled else "DISABLED"
