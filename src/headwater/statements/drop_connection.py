"""DROP CONNECTION [FORCE]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from headwater.catalog.connections import ConnectionUser
from headwater.names import counted
from headwater.result import Result
from headwater.sql.connections import DropConnection
from headwater.statements.connection_name import connection_of
from headwater.statements.context import Context


def drop_connection(context: Context, statement: DropConnection) -> Result:
    """Forget a connection and its secrets; with FORCE also one that is used."""
    name = statement.name
    workspace = name.workspace or context.session.workspace
    if statement.if_exists and context.store.connections.get(workspace, name.name) is None:
        return Result(message=f"there is no connection {name.name}")
    found = connection_of(context, name)
    context.lake.writer.ensure()
    users = context.store.connections.drop(found, force=statement.force)
    message = f"connection {found.name} dropped"
    if users:
        message += f"; {_counted(users)} cannot be read until there is another {found.name}"
    return Result(message=message)


def _counted(users: Sequence[ConnectionUser]) -> str:
    kinds = sorted(Counter(user.kind for user in users).items())
    return " and ".join(counted(number, kind) for kind, number in kinds)
