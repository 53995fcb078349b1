"""Directory tables: the files of a volume as its last refresh found them.

A volume with AUTO_REFRESH is listed again at every read: its directory table is never older than
the statement that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.catalog.volumes import DirectoryChange, DirectoryFile, Volume
from headwater.errors import UserError
from headwater.files.listing import listed_pages
from headwater.files.volumes import OpenVolume
from headwater.result import Column, Result
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake

FILE_COLUMNS = (
    Column("relative_path", "string"),
    Column("url", "string"),
    Column("size", "bigint"),
    Column("last_modified_time", "timestamp"),
)


def refresh(lake: OpenLake, volume: OpenVolume) -> DirectoryChange:
    """List the store into the directory table; of two at once, the later listing stays.

    Two processes may do this at the same time, so it asks for no right to write the lake.
    """
    stored = _with_directory(volume)
    listed_at = now()
    return lake.store.directory_files.replace(stored, _batches(volume), listed_at=listed_at)


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


def _batches(volume: OpenVolume) -> Iterator[list[DirectoryFile]]:
    for page in listed_pages(volume, recursive=volume.recursive):
        yield [
            DirectoryFile(
                file.path, volume.url_of(file.path), file.size, file.modified_at, file.etag
            )
            for file in page
        ]


def _with_directory(volume: OpenVolume) -> Volume:
    """The volume of the catalog, with the address it has now: a lake folder may have been moved."""
    if volume.volume is None:
        hint = f"LIST {volume.title.upper()} shows its files"
        raise UserError("VOLUME_HAS_NO_DIRECTORY", volume=volume.title, hint=hint)
    if not volume.volume.directory_enabled:
        raise UserError("VOLUME_HAS_NO_DIRECTORY", volume=volume.title)
    return replace(volume.volume, url=volume.address.url)
