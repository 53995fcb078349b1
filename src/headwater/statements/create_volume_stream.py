"""CREATE STREAM .. ON VOLUME: from now on, what happens to the files of a volume is kept for it."""

from __future__ import annotations

import uuid

from headwater.catalog.objects import TableKind
from headwater.catalog.streams import Stream, StreamMode, StreamOffset, StreamSource
from headwater.catalog.volumes import Volume
from headwater.errors import UserError
from headwater.files.directory import refresh
from headwater.files.volumes import find_volume, opened
from headwater.names import QualifiedName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.create_stream import CreateVolumeStream
from headwater.statements.context import Context
from headwater.streams.directory_events import volume_queue
from headwater.streams.watchable import require_watchable
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, name_taken


def create_volume_stream(context: Context, statement: CreateVolumeStream) -> Result:
    """Make a stream, or begin one anew; the files that are there now are not shown by it."""
    name = context.qualify(statement.name)
    span = statement.name_span
    require_allowed_name(name.name, "stream", span=span)
    find_schema(context.store, name.workspace, name.schema, span=span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    is_stream = existing is not None and existing.kind is TableKind.STREAM
    if is_stream and statement.if_not_exists:
        return Result(message=f"stream {name} exists already")
    if existing is not None and not (is_stream and statement.or_replace):
        raise name_taken(existing, span=span)
    volume = _source(context, statement)
    context.lake.writer.ensure()
    _refresh(context, volume)
    with context.store.begin() as transaction:
        version = context.store.directory_changes.hold(volume, connection=transaction)
        stream = _stream(context, statement, name, volume=volume, version=version)
        context.store.streams.create(stream, replace=statement.or_replace, connection=transaction)
    done = "replaced" if is_stream else "created"
    return Result(message=f"stream {name} {done} on volume {volume.schema}.{volume.name}")


def _source(context: Context, statement: CreateVolumeStream) -> Volume:
    span = statement.volume_span
    volume = find_volume(context.lake, context.qualify(statement.volume), span=span)
    try:
        require_watchable(context.lake, volume)
    except UserError as error:
        error.span = span
        raise
    return volume


def _refresh(context: Context, volume: Volume) -> None:
    """What is there now is where the stream begins."""
    files = opened(context.lake, volume)
    try:
        if volume.notification is not None:
            volume_queue(files).close()  # refuses a name that no queue can have
        refresh(context.lake, files)
    finally:
        files.store.close()


def _stream(
    context: Context,
    statement: CreateVolumeStream,
    name: QualifiedName,
    *,
    volume: Volume,
    version: int,
) -> Stream:
    at = now()
    return Stream(
        id=uuid.uuid4().hex[:12],
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        source=StreamSource.VOLUME,
        source_id=volume.id,
        mode=StreamMode.STANDARD,
        offset=StreamOffset(version),
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        comment=statement.comment,
    )
