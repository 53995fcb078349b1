"""CREATE STREAM .. ON VOLUME: from now on, what happens to the files of a volume is kept for it."""

from __future__ import annotations

from headwater.catalog.streams import StreamMode, StreamOffset, StreamSource
from headwater.catalog.volumes import Volume
from headwater.errors import UserError
from headwater.files.directory import refresh
from headwater.files.volumes import find_volume, opened
from headwater.result import Result
from headwater.sql.create_stream import CreateVolumeStream
from headwater.statements.context import Context
from headwater.statements.new_stream import new_name, new_stream
from headwater.streams.directory_events import volume_queue
from headwater.streams.watchable import require_watchable


def create_volume_stream(context: Context, statement: CreateVolumeStream) -> Result:
    """Make a stream, or begin one anew; the files that are there now are not shown by it."""
    new = new_name(context, statement)
    if new.exists:
        return Result(message=f"stream {new.name} exists already")
    volume = _source(context, statement)
    context.lake.writer.ensure()
    _refresh(context, volume)
    with context.store.begin() as transaction:
        version = context.store.directory_changes.hold(volume, connection=transaction)
        stream = new_stream(
            context,
            new.name,
            source=StreamSource.VOLUME,
            source_id=volume.id,
            mode=StreamMode.STANDARD,
            offset=StreamOffset(version),
            comment=statement.comment,
        )
        context.store.streams.create(stream, replace=statement.or_replace, connection=transaction)
    message = f"stream {new.name} {new.done} on volume {volume.schema}.{volume.name}"
    return Result(message=message)


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
