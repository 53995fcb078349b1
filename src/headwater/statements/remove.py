"""REMOVE: files out of a volume, for good."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.files.listing import listed_files
from headwater.files.volumes import OpenVolume
from headwater.result import Result, string_columns
from headwater.sql.volume_files import Remove
from headwater.statements.context import Context
from headwater.statements.open_volume import volume_for
from headwater.storage.failures import file_not_found

COLUMNS = string_columns("path", "status")
_REMOVED = "SUCCEED"
_REASONS_SHOWN = 5


def remove(context: Context, statement: Remove) -> Result:
    """Delete the files named, or all files of a folder and below it."""
    with volume_for(context, statement.volume) as volume:
        paths = _paths(volume, statement)
        failed = volume.store.delete_many(paths)
        if failed:
            raise _not_removed(volume, paths, failed)
    return Result.from_rows(COLUMNS, [(path, _REMOVED) for path in paths])


def _paths(volume: OpenVolume, statement: Remove) -> list[str]:
    """What to delete; a file that is not there ends the statement before it deletes any."""
    if not statement.files:
        return [file.path for file in listed_files(volume, statement.subdirectory)]
    paths = list(dict.fromkeys(statement.files))
    for path in paths:
        if volume.store.head(path) is None:
            raise file_not_found(path, volume.address.url)
    return paths


def _not_removed(volume: OpenVolume, paths: list[str], failed: dict[str, str]) -> UserError:
    shown = [f"'{path}' ({reason})" for path, reason in list(failed.items())[:_REASONS_SHOWN]]
    more = [f"and {len(failed) - len(shown)} more"] if len(failed) > len(shown) else []
    return UserError(
        "FILES_NOT_REMOVED",
        count=len(failed),
        all=len(paths),
        volume=volume.title,
        reasons=", ".join([*shown, *more]),
    )
