"""Files that never change, kept in memory: commits and checkpoints of logs on an object store.

Invariant: what is kept takes no more than a limit; what was used least recently goes first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from headwater.storage.store import FoundFile

MOST_BYTES = 64 << 20
_LARGEST_PART = 8
"""A file that takes more than this part of the limit is not kept."""


class KeptFiles:
    """Files by path; safe to use from several threads at once."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._files: OrderedDict[str, FoundFile] = OrderedDict()
        self._bytes = 0

    def get(self, path: str) -> FoundFile | None:
        """The file, if it is kept."""
        with self._lock:
            found = self._files.get(path)
            if found is not None:
                self._files.move_to_end(path)
            return found

    def keep(self, file: FoundFile) -> None:
        """Keep a file in the place of another of its path."""
        with self._lock:
            self._forget(file.info.path)
            if len(file.content) > self._most // _LARGEST_PART:
                return
            self._files[file.info.path] = file
            self._bytes += len(file.content)
            while self._bytes > self._most:
                self._forget(next(iter(self._files)))

    def forget(self, path: str) -> None:
        """Keep a file no longer."""
        with self._lock:
            self._forget(path)

    def _forget(self, path: str) -> None:
        found = self._files.pop(path, None)
        if found is not None:
            self._bytes -= len(found.content)
