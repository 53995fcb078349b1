"""The store's volumes.

Invariant: a name stands for one volume in its schema, beside whatever table has the same name; a
volume goes together with its directory table, its files stay where they are. One that a stream
watches stays too.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, select, update

from headwater.catalog.store.connections import require_connection
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.file_model import connections, volumes
from headwater.catalog.store.model import schemas, workspaces
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.schemas import live_schema_id
from headwater.catalog.store.stream_model import streams
from headwater.catalog.store.stream_rows import select_streams, stream_from
from headwater.catalog.store.workspaces import workspace_id
from headwater.catalog.streams import StreamSource
from headwater.catalog.volumes import Volume
from headwater.errors import UserError
from headwater.names import QualifiedName


class Volumes:
    """Makes, finds and drops volumes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, volume: Volume, *, connection: Connection | None = None) -> Volume:
        """Adds a volume; VOLUME_ALREADY_EXISTS when its name is taken."""
        with self._database.write(connection) as own:
            made = _with_connection(own, volume)
            schema_id = live_schema_id(own, volume.workspace, volume.schema)
            if not insert_unless_taken(own, volumes, _values(made, schema_id=schema_id)):
                raise UserError("VOLUME_ALREADY_EXISTS", name=_shown(volume))
        return made

    def create_or_replace(self, volume: Volume, *, connection: Connection | None = None) -> Volume:
        """Adds a volume in the place of the one that had its name; its directory table is empty.

        A pipe that the old one fed goes on with the new one. VOLUME_IN_USE_BY_STREAM when a stream
        watches the old one: its directory table would begin anew.
        """
        with self._database.write(connection) as own:
            schema_id = live_schema_id(own, volume.workspace, volume.schema, alone=True)
            old = (volumes.c.schema_id == schema_id) & (volumes.c.name == volume.name)
            old_id = own.execute(select(volumes.c.id).where(old)).scalar_one_or_none()
            if old_id is not None:
                _refuse_watched(own, old_id, volume)
                own.execute(delete(volumes).where(volumes.c.id == old_id))
                fed = update(pipes).where(pipes.c.volume_id == old_id)
                own.execute(fed.values(volume_id=volume.id))
            return self.create(volume, connection=own)

    def get(
        self, workspace: str, schema: str, name: str, *, connection: Connection | None = None
    ) -> Volume | None:
        """The volume of that name, or None."""
        names = {"workspace": workspace, "schema": schema, "name": name}
        return self._one(_named(), connection, names)

    def by_id(self, volume_id: str, *, connection: Connection | None = None) -> Volume | None:
        """The volume with that id, or None."""
        return self._one(_with_id(), connection, {"id": volume_id})

    def list(
        self, workspace: str, schema: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Volume]:
        """The volumes of a schema or of all schemas, by name."""
        query = _in(workspace, schema).order_by(schemas.c.name, volumes.c.name)
        with self._database.read(connection) as own:
            return [_volume(row) for row in own.execute(query)]

    def auto_refreshed(self) -> builtins.list[Volume]:
        """The volumes of all workspaces whose directory tables follow their files by themselves."""
        query = _select().where(volumes.c.auto_refresh, volumes.c.directory_enabled)
        with self._database.read() as own:
            return [_volume(row) for row in own.execute(query.order_by(volumes.c.id))]

    def with_watched_queues(self) -> builtins.list[Volume]:
        """The volumes of all workspaces that have a queue and a stream that watches them."""
        watched = select(streams.c.source_id).where(streams.c.source == StreamSource.VOLUME)
        query = _select().where(volumes.c.notification.is_not(None), volumes.c.id.in_(watched))
        with self._database.read() as own:
            return [_volume(row) for row in own.execute(query.order_by(volumes.c.id))]

    def drop(self, volume: Volume, *, connection: Connection | None = None) -> None:
        """Removes a volume and its directory table.

        VOLUME_NOT_FOUND when it is gone already, VOLUME_IN_USE_BY_STREAM when a stream watches it.
        """
        with self._database.write(connection) as own:
            _refuse_watched(own, volume.id, volume)
            if not own.execute(delete(volumes).where(volumes.c.id == volume.id)).rowcount:
                raise UserError("VOLUME_NOT_FOUND", name=_shown(volume))

    def _one(
        self, query: Select[Any], connection: Connection | None, values: Mapping[str, str]
    ) -> Volume | None:
        with self._database.read(connection) as own:
            row = own.execute(query, values).one_or_none()
        return None if row is None else _volume(row)


def _with_connection(own: Connection, volume: Volume) -> Volume:
    if volume.connection is None:
        return volume
    name = volume.connection.lower()
    found = require_connection(own, workspace_id(own, volume.workspace), name)
    return replace(volume, connection=name, connection_id=found)


def _refuse_watched(own: Connection, volume_id: str, volume: Volume) -> None:
    """Streams are made with this row locked, so that none comes between this and the removal."""
    own.execute(select(volumes.c.id).where(volumes.c.id == volume_id).with_for_update())
    watching = select_streams().where(streams.c.source_id == volume_id).limit(1)
    row = own.execute(watching).one_or_none()
    if row is not None:
        stream = stream_from(row).qualified
        raise UserError("VOLUME_IN_USE_BY_STREAM", volume=_shown(volume), stream=stream)


def _shown(volume: Volume) -> str:
    return str(QualifiedName(volume.workspace, volume.schema, volume.name))


@cache
def _select() -> Select[Any]:
    theirs = connections.c.workspace_id == workspaces.c.id
    return (
        select(
            volumes,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
            connections.c.id.label("connection_id"),
        )
        .join_from(volumes, schemas)
        .join(workspaces)
        .join(connections, theirs & (connections.c.name == volumes.c.connection_name), isouter=True)
    )


@cache
def _named() -> Select[Any]:
    return _select().where(
        workspaces.c.name == bindparam("workspace"),
        schemas.c.name == bindparam("schema"),
        volumes.c.name == bindparam("name"),
    )


@cache
def _with_id() -> Select[Any]:
    return _select().where(volumes.c.id == bindparam("id"))


def _in(workspace: str, schema: str | None) -> Select[Any]:
    query = _select().where(workspaces.c.name == workspace)
    return query if schema is None else query.where(schemas.c.name == schema)


def _values(volume: Volume, *, schema_id: str) -> dict[str, Any]:
    notification = volume.notification
    return {
        "id": volume.id,
        "schema_id": schema_id,
        "name": volume.name,
        "external": volume.external,
        "url": volume.url,
        "connection_name": volume.connection,
        "directory_enabled": volume.directory_enabled,
        "auto_refresh": volume.auto_refresh,
        "recursive": volume.recursive,
        "notification": None if notification is None else dict(notification),
        "comment": volume.comment,
        "properties": dict(volume.properties),
        "creator": volume.creator,
        "created_at": volume.created_at,
        "modified_at": volume.modified_at,
        "refreshed_at": volume.refreshed_at,
    }


def _volume(row: Row[Any]) -> Volume:
    return Volume(
        id=row.id,
        workspace=row.workspace_name,
        schema=row.schema_name,
        name=row.name,
        external=row.external,
        url=row.url,
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        connection=row.connection_name,
        connection_id=row.connection_id,
        directory_enabled=row.directory_enabled,
        auto_refresh=row.auto_refresh,
        recursive=row.recursive,
        notification=row.notification,
        comment=row.comment,
        properties=row.properties,
        refreshed_at=row.refreshed_at,
        directory_version=row.directory_version,
    )
