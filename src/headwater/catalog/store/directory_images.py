"""The rows of directory tables as images in JSON, both ways, in Python and inside the database.

Law: an image that the database makes of a row reads back like one that Python made of it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, FromClause, Row, Text, cast, func, literal_column
from sqlalchemy.sql import ColumnElement

from headwater.catalog.store.column_types import instant_of, microseconds_of
from headwater.catalog.store.file_model import directory_files
from headwater.catalog.store.storable_paths import require_storable
from headwater.catalog.volumes import DirectoryFile, FileImage, Volume

COMPARED = ("url", "size", "modified_at", "etag")
"""What a refresh compares to tell whether a file's row changes."""

_KEPT = (*COMPARED, "version", "seen_at")


def file_values(volume: Volume, file: DirectoryFile) -> dict[str, Any]:
    """A file's own columns; FILE_NAME_NOT_STORABLE when its path or url cannot be kept."""
    require_storable(file.relative_path)
    derived = file.url == volume.url + file.relative_path
    if not derived:
        require_storable(file.url)
    return {
        "relative_path": file.relative_path,
        # Most urls follow from the volume's: to keep them would double the size of the catalog.
        "url": None if derived else file.url,
        "size": file.size,
        "modified_at": file.modified_at,
        "etag": file.etag,
    }


def file_from(volume: Volume, row: Row[Any]) -> DirectoryFile:
    """The file of a row."""
    url = row.url or volume.url + row.relative_path
    return DirectoryFile(row.relative_path, url, row.size, row.modified_at, row.etag)


def image_from(volume: Volume, row: Row[Any]) -> FileImage:
    """The file of a row, with its version; 0 for one that was stored before there were any."""
    return FileImage(file_from(volume, row), row.version or 0, row.seen_at)


def image_values(volume: Volume, image: FileImage) -> dict[str, Any]:
    """An image as JSON has it."""
    values = file_values(volume, image.file)
    return {
        "url": values["url"],
        "size": image.file.size,
        "modified_at": microseconds_of(image.file.modified_at),
        "etag": image.file.etag,
        "version": image.version,
        "seen_at": None if image.seen_at is None else microseconds_of(image.seen_at),
    }


def image_of(volume: Volume, path: str, values: dict[str, Any] | None) -> FileImage | None:
    """The image that JSON has."""
    if values is None:
        return None
    seen_at = values["seen_at"]
    file = DirectoryFile(
        path,
        values["url"] or volume.url + path,
        values["size"],
        instant_of(values["modified_at"]),
        values["etag"],
    )
    seen = None if seen_at is None else instant_of(seen_at)
    return FileImage(file, values["version"] or 0, seen)


def image_in_database(
    own: Connection, rows: FromClause = directory_files
) -> ColumnElement[str | None]:
    """The same JSON, made by the database of its own row."""
    postgres = own.dialect.name == "postgresql"
    make = func.json_build_object if postgres else func.json_object
    pairs = [part for name in _KEPT for part in (literal_column(f"'{name}'"), rows.c[name])]
    return cast(make(*pairs), Text)
