"""Directory tables: the files of a volume as its last refresh found them.

A volume with AUTO_REFRESH is listed again at every read: its directory table is never older than
the statement that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from headwater.catalog.volumes import DirectoryChange, DirectoryFile, Volume
from headwater.errors import TransientError, UserError
from headwater.files.listing import listed_pages
from headwater.files.volumes import OpenVolume
from headwater.result import Column, Result
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.storage.store import FileInfo

FILE_COLUMNS = (
    Column("relative_path", "string"),
    Column("url", "string"),
    Column("size", "bigint"),
    Column("last_modified_time", "timestamp"),
)
_TRIES = 5


def refresh(lake: OpenLake, volume: OpenVolume) -> DirectoryChange:
    """List the store into the directory table; of two at once, the later listing stays.

    Two processes may do this at the same time, so it asks for no right to write the lake.
    """
    stored = _with_directory(volume)
    if stored.notification is None:
        return _listed(lake, volume, stored)
    # What a queue tells meanwhile is later and about some files alone: list again.
    with lake.locks.hold(f"directory:{stored.id}"):
        for _ in range(_TRIES):
            change = _listed(lake, volume, stored)
            if not change.late:
                return change
    raise TransientError("DIRECTORY_BUSY", volume=f"{stored.schema}.{stored.name}")


def look_time(lake: OpenLake, volume: Volume) -> datetime:
    """When a look at the store begins that begins now.

    It is behind every look that is stored already, even if the clock was set back.
    """
    known = lake.store.volumes.by_id(volume.id)
    looked_at = now()
    if known is None or known.refreshed_at is None:
        return looked_at
    return max(looked_at, known.refreshed_at + timedelta(microseconds=1))


def directory_file(volume: OpenVolume, file: FileInfo) -> DirectoryFile:
    """A file of the store as a directory table has it."""
    return DirectoryFile(
        file.path, volume.url_of(file.path), file.size, file.modified_at, file.etag
    )


def stored_volume(volume: OpenVolume) -> Volume:
    """The volume of the catalog, with the address it has now: a lake folder may have been moved."""
    assert volume.volume is not None
    return replace(volume.volume, url=volume.address.url)


def directory_rows(lake: OpenLake, volume: OpenVolume) -> Result:
    """The rows of DIRECTORY(VOLUME v); times are in UTC and say so."""
    stored = _with_directory(volume)
    if stored.auto_refresh:
        refresh(lake, volume)
    rows = [
        (file.relative_path, file.url, file.size, file.modified_at)
        for file in lake.store.directory_files.read(stored)
    ]
    return Result.from_rows(FILE_COLUMNS, rows)


def _listed(lake: OpenLake, volume: OpenVolume, stored: Volume) -> DirectoryChange:
    listed_at = look_time(lake, stored)
    return lake.store.directory_files.replace(stored, _batches(volume), listed_at=listed_at)


def _batches(volume: OpenVolume) -> Iterator[list[DirectoryFile]]:
    for page in listed_pages(volume, recursive=volume.recursive):
        yield [directory_file(volume, file) for file in page]


def _with_directory(volume: OpenVolume) -> Volume:
    if volume.volume is None:
        hint = f"LIST {volume.title.upper()} shows its files"
        raise UserError("VOLUME_HAS_NO_DIRECTORY", volume=volume.title, hint=hint)
    if not volume.volume.directory_enabled:
        raise UserError("VOLUME_HAS_NO_DIRECTORY", volume=volume.title)
    return stored_volume(volume)
