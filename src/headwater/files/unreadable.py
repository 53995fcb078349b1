"""The error that a file cannot be read; whoever catches it knows which file it is about."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.catalog.load_history import SourceFile
from headwater.errors import UserError
from headwater.files.volumes import OpenVolume
from headwater.storage.store import FileInfo


class UnreadableFile(UserError):
    """FILE_UNREADABLE, with the file as the load history knows it and the bare reason.

    `also` are others of the same reading, as far as they were looked for.
    """

    def __init__(
        self, volume: OpenVolume, file: FileInfo, reason: str, *, detail: str | None = None
    ) -> None:
        super().__init__(
            "FILE_UNREADABLE", file=file.path, volume=volume.title, reason=reason, detail=detail
        )
        self.reason = reason
        self.source = source_file(volume, file)
        self.also: dict[SourceFile, str] = {}

    @classmethod
    def of(
        cls,
        volume: OpenVolume,
        broken: Sequence[tuple[FileInfo, str]],
        *,
        detail: str | None = None,
    ) -> UnreadableFile:
        """The error of several files with their reasons: of the first, and of the others `also`."""
        (file, reason), *others = broken
        error = cls(volume, file, reason, detail=detail)
        error.also = {source_file(volume, other): why for other, why in others}
        return error


class TextIsUtf8(UserError):
    """The files of a statement were taken for damaged, and every byte of them is UTF-8.

    They hold the character that stands for damage. `urls` may be read without asking again.
    """

    def __init__(self, volume: OpenVolume, file: FileInfo, urls: frozenset[str]) -> None:
        reason = "it, or another one, holds the character U+FFFD"
        super().__init__("FILE_UNREADABLE", file=file.path, volume=volume.title, reason=reason)
        self.urls = urls


def source_file(volume: OpenVolume, file: FileInfo) -> SourceFile:
    """A file as the load history knows it."""
    return SourceFile(volume.url_of(file.path), file.size, file.modified_at, file.etag)
