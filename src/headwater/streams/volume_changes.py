"""Reading a stream over a volume: the directory table is brought up to date, then compared.

Law: reading moves nothing. Whoever consumes the rows moves the stream to `to`, with its commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headwater.catalog.streams import Stream, StreamOffset
from headwater.catalog.volumes import FileImage
from headwater.errors import UserError
from headwater.files.directory import FILE_COLUMNS, refresh, stored_volume
from headwater.files.volumes import OpenVolume, opened
from headwater.result import Column, Result, Row
from headwater.runtime.open_lake import OpenLake
from headwater.storage.addresses import Scheme
from headwater.streams.directory_events import DirectoryEvents
from headwater.streams.directory_net import NetChange, all_inserted, net_changes

CHANGE_COLUMNS = (
    Column("__change_type", "string"),
    Column("__commit_version", "bigint"),
    Column("__commit_timestamp", "timestamp"),
)
# A queue that is asked without waiting may keep messages back that it has.
_PATIENCE_SECONDS = 1


@dataclass(frozen=True, slots=True)
class VolumeChanges:
    """What a stream shows, and the offset of one who has seen it."""

    rows: Result
    to: StreamOffset


def volume_changes(lake: OpenLake, stream: Stream) -> VolumeChanges:
    """What happened to the files of a volume since the stream was consumed, up to this moment."""
    volume = lake.store.volumes.by_id(stream.source_id)
    if volume is None:
        raise UserError("STREAM_VOLUME_GONE", stream=stream.qualified)
    files = opened(lake, volume)
    try:
        _bring_up_to_date(lake, files)
    finally:
        files.store.close()
    stored = stored_volume(files)
    if stream.offset.initial:
        version, images = lake.store.directory_files.images(stored)
        net = all_inserted(images)
    else:
        version, changes = lake.store.directory_changes.since(stored, stream.offset.position)
        net = net_changes(changes)
    result = Result.from_rows((*CHANGE_COLUMNS, *FILE_COLUMNS), [_row(change) for change in net])
    return VolumeChanges(result, StreamOffset(version))


def _bring_up_to_date(lake: OpenLake, files: OpenVolume) -> None:
    volume = stored_volume(files)
    if volume.notification is not None:
        events = DirectoryEvents(lake, volume)
        try:
            while events.look(wait_seconds=_PATIENCE_SECONDS).more:
                pass
        finally:
            events.close()
    if volume.auto_refresh or (volume.notification is None and _is_local(files)):
        refresh(lake, files)


def _is_local(files: OpenVolume) -> bool:
    return files.address.scheme is Scheme.FILE


def _row(change: NetChange) -> Row:
    image = change.image
    return (str(change.type), image.version, image.seen_at, *_file(image))


def _file(image: FileImage) -> tuple[str, str, int, datetime]:
    file = image.file
    return file.relative_path, file.url, file.size, file.modified_at
