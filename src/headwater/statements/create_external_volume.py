"""CREATE [OR REPLACE] EXTERNAL VOLUME."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from headwater.catalog.connections import Connection
from headwater.catalog.volumes import Volume
from headwater.errors import HeadwaterError, NotSupported, Span, UserError
from headwater.files.connections import store_connection
from headwater.files.directory import refresh
from headwater.files.find_connection import find_connection
from headwater.files.volumes import opened
from headwater.names import QualifiedName, counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.volumes import CreateExternalVolume
from headwater.statements.context import Context
from headwater.storage.addresses import Scheme, StoreAddress, parse_location
from headwater.storage.open_store import open_store
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema


def create_external_volume(context: Context, statement: CreateExternalVolume) -> Result:
    """Give a folder of a store a name. The store is asked only if AUTO_REFRESH is on."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "volume", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    known = context.store.volumes.get(name.workspace, name.schema, name.name)
    if statement.if_not_exists and known is not None:
        return Result(message=f"volume {name} exists already")
    if known is not None and not statement.or_replace:
        raise UserError("VOLUME_ALREADY_EXISTS", name=name, span=statement.name_span)
    connection = _connection(context, statement, name)
    address = _address(context, statement, connection)
    if known is not None:
        _require_pipe_can_go_on(context, known, address, statement.location_span)
    volume = _volume(context, statement, name, address.url, connection.name)
    context.lake.writer.ensure()
    if statement.or_replace:
        made = context.store.volumes.create_or_replace(volume)
    else:
        made = context.store.volumes.create(volume)
    verb = "replaced" if statement.or_replace and known is not None else "created"
    return Result(message=f"volume {name} {verb}{_first_listing(context, made)}")


def _connection(
    context: Context, statement: CreateExternalVolume, name: QualifiedName
) -> Connection:
    given, span = statement.connection, statement.connection_span
    if given.workspace not in (None, name.workspace):
        problem = f"volume {name} and its connection must be of one workspace"
        raise UserError("SYNTAX_ERROR", problem=problem, span=span)
    return find_connection(context.lake, name.workspace, given.name, span=span)


def _address(
    context: Context, statement: CreateExternalVolume, connection: Connection
) -> StoreAddress:
    """The folder, if the connection reaches its kind of store, and it exists or need not yet."""
    location, span = str(statement.location), statement.location_span
    try:
        address = parse_location(location)
    except UserError as error:
        error.span = span
        raise
    if connection.type.lower() not in set(Scheme):
        span = statement.connection_span
        kind = connection.type.value
        raise NotSupported("CONNECTION_HAS_NO_FILES", name=connection.name, type=kind, span=span)
    if connection.type.lower() != address.scheme:
        raise UserError(
            "CONNECTION_OF_OTHER_TYPE",
            location=location,
            type=connection.type.value,
            span=span,
            hint=f"name a connection of type {address.scheme.upper()}",
        )
    if address.scheme is Scheme.FILE:
        folder = "/" + address.prefix
        _refuse_lake(context, folder, span)
        if not os.path.isdir(folder):
            raise UserError(
                "FOLDER_NOT_FOUND", folder=folder, span=span, hint="make the folder first"
            )
    elif statement.directory.auto_refresh:
        # Wrong keys or a missing bucket end the statement before anything is changed.
        store = open_store(address, store_connection(context.lake, connection))
        next(iter(store.list()))
        store.close()
    return address


def _require_pipe_can_go_on(
    context: Context, known: Volume, address: StoreAddress, span: Span | None
) -> None:
    """A pipe goes on with the new volume of the name, so that it must be one that a pipe reads."""
    if context.store.pipes.using_volume(known.id) and not address.prefix.strip("/"):
        name = f"{known.workspace}.{known.schema}.{known.name}"
        raise UserError("PIPE_AT_BUCKET_ROOT", volume=name, location=address.url, span=span)


def _refuse_lake(context: Context, folder: str, span: Span | None) -> None:
    """A volume over the lake's own folder would hand out its keys, and REMOVE its tables."""
    lake, real = context.lake.folder.path.resolve(), Path(folder).resolve()
    if real.is_relative_to(lake) or lake.is_relative_to(real):
        raise UserError("LOCATION_HAS_LAKE", folder=folder, lake=lake, span=span)


def _volume(
    context: Context,
    statement: CreateExternalVolume,
    name: QualifiedName,
    url: str,
    connection: str,
) -> Volume:
    at = now()
    queue = statement.notification
    return Volume(
        id=uuid.uuid4().hex,
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        external=True,
        url=url,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        connection=connection,
        directory_enabled=statement.directory.enable,
        auto_refresh=statement.directory.auto_refresh,
        recursive=statement.recursive,
        notification=None
        if queue is None
        else {
            "queue_type": queue.queue_type,
            "queue_name": queue.queue_name,
            "virtual_cluster": queue.virtual_cluster,
        },
        comment=statement.comment,
    )


def _first_listing(context: Context, volume: Volume) -> str:
    """What there is to say of the first listing of an AUTO_REFRESH volume."""
    if not volume.auto_refresh:
        return ""
    files = opened(context.lake, volume)
    try:
        change = refresh(context.lake, files)
    except HeadwaterError as error:
        # The volume is there, and the next read of its directory lists again.
        return f", its directory is not listed yet: {error.message}"
    finally:
        files.store.close()
    return f", its directory lists {counted(change.added, 'file')}"
