"""What threads of this process take for themselves, so that no two work on the same at once."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Taken:
    """Names that are taken. Unlike a lock it makes nobody wait: who comes second gets the rest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: set[str] = set()

    @contextmanager
    def taken(self, names: Iterable[str]) -> Iterator[set[str]]:
        """Those of the names that nobody has, until the end of the block."""
        wanted = set(names)
        with self._lock:
            ours = wanted - self._names
            self._names |= ours
        try:
            yield ours
        finally:
            with self._lock:
                self._names -= ours
