"""SHOW [TABLE|USER] VOLUME DIRECTORY."""

from __future__ import annotations

from headwater.files.directory import FILE_COLUMNS
from headwater.files.listing import listed_files
from headwater.files.volumes import OpenVolume
from headwater.result import Result, Row
from headwater.sql.volume_files import ShowVolumeDirectory
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.open_volume import volume_for
from headwater.storage.store import FileInfo


def show_volume_directory(context: Context, statement: ShowVolumeDirectory) -> Result:
    """The files of a volume as they are now, whatever its directory table says."""
    with volume_for(context, statement.volume) as volume:
        files = listed_files(volume, statement.subdirectory)
        rows = [file_row(context, volume, file) for file in files]
    return filtered(context, FILE_COLUMNS, rows, statement.filter, like_column=0)


def file_row(context: Context, volume: OpenVolume, file: FileInfo) -> Row:
    """A file as all listings show it."""
    modified = context.session.shown(file.modified_at)
    return (file.path, volume.url_of(file.path), file.size, modified)
