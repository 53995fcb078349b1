"""The store's connections.

Invariant: a name is unique in its workspace whatever its case, and a connection that something
uses goes away only by force.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Connection as DatabaseConnection
from sqlalchemy import Row, Select, bindparam, delete, literal, select, union_all, update
from sqlalchemy import Table as DatabaseTable

from headwater.catalog.connections import Connection, ConnectionType, ConnectionUser
from headwater.catalog.objects import TableKind, TableState
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.file_model import connections, volumes
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.workspaces import workspace_id
from headwater.errors import UserError
from headwater.names import show_identifier

_USERS_NAMED = 3


class Connections:
    """Makes, finds, changes and drops connections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self, made: Connection, *, connection: DatabaseConnection | None = None
    ) -> Connection:
        """Adds a connection; CONNECTION_ALREADY_EXISTS when its name is taken."""
        lowered = replace(made, name=made.name.lower())
        with self._database.write(connection) as own:
            values = {
                "id": lowered.id,
                "workspace_id": workspace_id(own, lowered.workspace),
                "name": lowered.name,
                "type": lowered.type,
                "creator": lowered.creator,
                "created_at": lowered.created_at,
                "external_id": lowered.external_id,
                **_changeable(lowered),
            }
            if not insert_unless_taken(own, connections, values):
                name = show_identifier(lowered.name)
                raise UserError("CONNECTION_ALREADY_EXISTS", name=name)
        return lowered

    def update(self, changed: Connection, *, connection: DatabaseConnection | None = None) -> None:
        """Stores everything but identity, name, type and creation of a connection."""
        statement = update(connections).where(connections.c.id == changed.id)
        with self._database.write(connection) as own:
            if not own.execute(statement.values(_changeable(changed))).rowcount:
                raise not_found(changed.name)

    def get(
        self, workspace: str, name: str, *, connection: DatabaseConnection | None = None
    ) -> Connection | None:
        """The connection of that name, or None."""
        names = {"workspace": workspace, "name": name.lower()}
        return self._one(_named(), connection, names)

    def by_id(
        self, connection_id: str, *, connection: DatabaseConnection | None = None
    ) -> Connection | None:
        """The connection with that id, or None."""
        return self._one(_with_id(), connection, {"id": connection_id})

    def list(
        self, workspace: str | None = None, *, connection: DatabaseConnection | None = None
    ) -> builtins.list[Connection]:
        """The connections of a workspace, or of all, by name."""
        query = _select().order_by(workspaces.c.name, connections.c.name)
        if workspace is not None:
            query = query.where(workspaces.c.name == workspace)
        with self._database.read(connection) as own:
            return [_connection(row) for row in own.execute(query)]

    def users_of(
        self, connection_id: str, *, connection: DatabaseConnection | None = None
    ) -> builtins.list[ConnectionUser]:
        """What would break without a connection, by schema and name."""
        query = union_all(_volumes_with(connection_id), _tables_with(connection_id))
        with self._database.read(connection) as own:
            rows = own.execute(query.order_by("schema", "name", "kind"))
            return [ConnectionUser(*row) for row in rows]

    def drop(
        self,
        dropped: Connection,
        *,
        force: bool = False,
        connection: DatabaseConnection | None = None,
    ) -> builtins.list[ConnectionUser]:
        """Removes a connection and its secrets, and returns what used it.

        CONNECTION_IN_USE when something does, unless forced; that then waits for a new connection
        of the same name.
        """
        query = select(connections.c.id).where(connections.c.id == dropped.id)
        with self._database.write(connection) as own:
            # The lock keeps new volumes and tables from taking this connection until it is gone.
            if own.execute(query.with_for_update()).one_or_none() is None:
                raise not_found(dropped.name)
            users = self.users_of(dropped.id, connection=own)
            if users and not force:
                name = show_identifier(dropped.name)
                raise UserError("CONNECTION_IN_USE", name=name, users=_in_words(users))
            own.execute(delete(connections).where(connections.c.id == dropped.id))
            return users

    def _one(
        self,
        query: Select[Any],
        connection: DatabaseConnection | None,
        values: Mapping[str, str],
    ) -> Connection | None:
        with self._database.read(connection) as own:
            row = own.execute(query, values).one_or_none()
        return None if row is None else _connection(row)


def require_connection(own: DatabaseConnection, workspace_id: str, name: str) -> str:
    """The id of a connection, locked against being dropped until the transaction ends."""
    query = select(connections.c.id).where(
        connections.c.workspace_id == workspace_id, connections.c.name == name
    )
    found: str | None = own.execute(query.with_for_update(read=True)).scalar_one_or_none()
    if found is None:
        raise not_found(name)
    return found


def not_found(name: str) -> UserError:
    """The error for a connection that is not there."""
    return UserError("CONNECTION_NOT_FOUND", name=show_identifier(name))


def _in_words(users: builtins.list[ConnectionUser]) -> str:
    named = [
        f"{user.kind} {show_identifier(user.schema)}.{show_identifier(user.name)}"
        for user in users[:_USERS_NAMED]
    ]
    more = len(users) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _changeable(connection: Connection) -> dict[str, Any]:
    return {
        "enabled": connection.enabled,
        "modified_at": connection.modified_at,
        "comment": connection.comment,
        "settings": {
            key: value if isinstance(value, str) else builtins.list(value)
            for key, value in connection.settings.items()
        },
        "sealed": dict(connection.sealed),
    }


@cache
def _select() -> Select[Any]:
    columns = select(connections, workspaces.c.name.label("workspace_name"))
    return columns.join_from(connections, workspaces)


@cache
def _named() -> Select[Any]:
    return _select().where(
        workspaces.c.name == bindparam("workspace"), connections.c.name == bindparam("name")
    )


@cache
def _with_id() -> Select[Any]:
    return _select().where(connections.c.id == bindparam("id"))


def _volumes_with(connection_id: str) -> Select[Any]:
    return _users(volumes, "volume", connection_id).where(
        volumes.c.connection_name == connections.c.name
    )


def _tables_with(connection_id: str) -> Select[Any]:
    """The Kafka tables, which have the name of their connection for a location."""
    return _users(tables, "table", connection_id).where(
        tables.c.kind == TableKind.KAFKA,
        tables.c.state == TableState.ACTIVE,
        tables.c.location == connections.c.name,
    )


def _users(of: DatabaseTable, kind: str, connection_id: str) -> Select[Any]:
    named = (literal(kind).label("kind"), schemas.c.name.label("schema"), of.c.name.label("name"))
    return (
        select(*named)
        .join_from(of, schemas)
        .join(connections, connections.c.workspace_id == schemas.c.workspace_id)
        .where(connections.c.id == connection_id)
    )


def _connection(row: Row[Any]) -> Connection:
    return Connection(
        id=row.id,
        workspace=row.workspace_name,
        name=row.name,
        type=ConnectionType(row.type),
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        enabled=row.enabled,
        comment=row.comment,
        settings=row.settings,
        sealed=row.sealed,
        external_id=row.external_id,
    )
