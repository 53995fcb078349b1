"""LIST: the files of a volume, those of a folder, those that match a pattern."""

from __future__ import annotations

from headwater.files.directory import FILE_COLUMNS
from headwater.files.listing import listed_files
from headwater.result import Result
from headwater.sql.file_selection import compile_regexp
from headwater.sql.volume_files import ListVolume
from headwater.statements.context import Context
from headwater.statements.open_volume import volume_for
from headwater.statements.show_volume_directory import file_row


def list_volume(context: Context, statement: ListVolume) -> Result:
    """The files as they are now. A pattern is for the whole url, and finds files at any depth."""
    pattern = None if statement.regexp is None else compile_regexp(statement.regexp)
    with volume_for(context, statement.volume) as volume:
        files = listed_files(volume, statement.subdirectory, recursive=pattern is not None)
        rows = [
            file_row(context, volume, file)
            for file in files
            if pattern is None or pattern.fullmatch(volume.url_of(file.path))
        ]
    return Result.from_rows(FILE_COLUMNS, rows)
