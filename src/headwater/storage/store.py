"""The interface of a store: files by their path below one folder, whatever holds them.

Law: a path goes in and comes out as it is. Nothing is trimmed, decoded or normalised on the way, so
that the file which is deleted is the file which was listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file in a store; `path` is relative to the store's folder, with no slash in front."""

    path: str
    size: int
    modified_at: datetime
    """When the content was written, in UTC, to the second where the store knows no better."""
    etag: str
    """Changes whenever the content does; only equality has a meaning."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file with its content, both from the same answer of the store."""

    info: FileInfo
    content: bytes


Page = list[FileInfo]


class Store(Protocol):
    """A folder of files. Safe to use from several threads at once."""

    def list(
        self, folder: str = "", *, recursive: bool = True, start_after: str | None = None
    ) -> Iterator[Page]:
        """The files below `folder`, page by page, in the store's order; never folders.

        Without `recursive`, only those directly in it. With `start_after`, those behind that path.
        A folder that does not exist has no files.
        """
        ...

    def head(self, path: str) -> FileInfo | None:
        """What is known about a file, or None if there is none."""
        ...

    def read(self, path: str) -> bytes:
        """The content of a file."""
        ...

    def find(self, path: str) -> FoundFile | None:
        """A file with its content in one request, or None if there is none."""
        ...

    def get(self, path: str, local_path: Path) -> None:
        """Copy a file to this machine; `local_path` appears whole or not at all."""
        ...

    def write(self, path: str, content: bytes) -> None:
        """Make a file with this content, replacing one of the same name as a whole."""
        ...

    def put(self, local_path: Path, path: str) -> None:
        """Copy a file of this machine into the store, replacing one of the same name as a whole."""
        ...

    def move(self, path: str, target: str) -> None:
        """Give a file another path, replacing one that has it; the content is not sent around."""
        ...

    def delete_many(self, paths: Iterable[str]) -> dict[str, str]:
        """Remove files; those that could not be removed, with the reason.

        A file that is not there counts as removed.
        """
        ...

    def presign(self, path: str, *, seconds: int = 3600) -> str:
        """An address under which anybody can read the file for a while."""
        ...

    def close(self) -> None:
        """Give up connections; the store opens new ones if it is used again."""
        ...
