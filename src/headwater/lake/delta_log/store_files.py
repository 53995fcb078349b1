"""A Delta log on an object store.

Invariant: as in `files`, and commits are asked for once: they never change. Only `exists` and
`read_head`, by which a log is told from one that took its place, ask the store each time.
"""

from __future__ import annotations

import io
from typing import BinaryIO

from headwater.lake.delta_log.files import (
    HEAD_BYTES,
    LOG_FOLDER,
    Checkpoint,
    commit_name,
    complete_checkpoints,
    listed_commits,
    parse_last_checkpoint,
)
from headwater.lake.delta_log.kept_files import KeptFiles
from headwater.storage.store import FileInfo, FoundFile, Store


class StoreLogFiles:
    """The log of the table at `path` below the folder of a store; see `LogFiles`."""

    def __init__(self, store: Store, path: str, *, location: str, kept: KeptFiles) -> None:
        self._store = store
        self._folder = f"{path}/{LOG_FOLDER}"
        self._location = location
        self._kept = kept

    @property
    def table(self) -> str:
        return self._location

    def exists(self, version: int) -> bool:
        return self._head(commit_name(version)) is not None

    def read_commit(self, version: int) -> str | None:
        return _text(self._find(commit_name(version)))

    def read_head(self, version: int) -> str | None:
        name = commit_name(version)
        kept = self._kept.get(self._path(name))
        if kept is not None:
            now = self._head(name)
            if now is None or now.etag != kept.info.etag:
                self._kept.forget(self._path(name))
        text = _text(self._find(name))
        return None if text is None else text[:HEAD_BYTES]

    def modified_ms(self, version: int) -> int | None:
        name = commit_name(version)
        kept = self._kept.get(self._path(name))
        info = self._head(name) if kept is None else kept.info
        return None if info is None else int(info.modified_at.timestamp() * 1000)

    def list_commits(self) -> list[int]:
        return listed_commits(self._names())

    def last_checkpoint(self) -> Checkpoint | None:
        # Not kept: Delta writes this one file anew.
        hint = self._store.find(self._path("_last_checkpoint"))
        found = None if hint is None else parse_last_checkpoint(_text(hint) or "")
        if found is None or not all(self._head(name) is not None for name in found.names):
            return None
        return found

    def list_checkpoints(self) -> list[Checkpoint]:
        return complete_checkpoints(self._names())

    def open(self, name: str) -> BinaryIO:
        found = self._find(name)
        if found is None:
            raise FileNotFoundError(f"{self._location}/{LOG_FOLDER}/{name}")
        return io.BytesIO(found.content)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _head(self, name: str) -> FileInfo | None:
        return self._store.head(self._path(name))

    def _find(self, name: str) -> FoundFile | None:
        path = self._path(name)
        found = self._kept.get(path)
        if found is None:
            found = self._store.find(path)
            if found is not None:
                self._kept.keep(found)
        return found

    def _names(self) -> list[str]:
        skipped = len(self._folder) + 1
        pages = self._store.list(self._folder, recursive=False)
        return [file.path[skipped:] for page in pages for file in page]


def _text(file: FoundFile | None) -> str | None:
    # A character cut in half is the parser's to report, with the table and the version.
    return None if file is None else file.content.decode("utf-8", errors="replace")
