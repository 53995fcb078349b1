"""Which files of a volume a statement means."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.errors import UserError
from headwater.files.volumes import OpenVolume
from headwater.sql.file_selection import FileSelection, compile_regexp
from headwater.storage.store import FileInfo


def select_files(volume: OpenVolume, selection: FileSelection) -> tuple[FileInfo, ...]:
    """The files that FILES, SUBDIRECTORY, REGEXP or nothing of these mean, in order of path."""
    if selection.files:
        return tuple(_named(volume, path, selection) for path in dict.fromkeys(selection.files))
    if selection.subdirectory is not None:
        return tuple(_listed(volume, selection.subdirectory, recursive=True))
    if selection.regexp is not None:
        pattern = compile_regexp(selection.regexp)
        found = _listed(volume, "", recursive=True)
        return tuple(file for file in found if pattern.fullmatch(volume.url_of(file.path)))
    return tuple(_listed(volume, "", recursive=volume.recursive))


def is_hidden(path: str) -> bool:
    """Whether a file or a folder on its way is marked as unfinished or not meant to be seen.

    >>> is_hidden("a/_temporary/part.csv"), is_hidden("a/.SUCCESS"), is_hidden("a/b_c.csv")
    (True, True, False)
    """
    return any(segment.startswith(("_", ".")) for segment in path.split("/"))


def _named(volume: OpenVolume, path: str, selection: FileSelection) -> FileInfo:
    found = volume.store.head(path)
    if found is None:
        raise UserError(
            "VOLUME_FILE_NOT_FOUND",
            path=path,
            volume=volume.title,
            reference=volume.reference,
            span=selection.span,
        )
    return found


def _listed(volume: OpenVolume, folder: str, *, recursive: bool) -> Iterator[FileInfo]:
    for page in volume.store.list(folder, recursive=recursive):
        for file in page:
            if not is_hidden(file.path):
                yield file
