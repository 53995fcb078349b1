"""One lock per object: writers of one table wait for each other, nobody else waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ObjectLocks:
    """Locks by key, made on first use and kept while somebody holds or waits for them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.RLock, int]] = {}

    @contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Hold the lock of `key`; the same thread may hold it again inside."""
        with self._guard:
            lock, users = self._locks.get(key, (threading.RLock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks[key]
                if users == 1:
                    del self._locks[key]
                else:
                    self._locks[key] = (lock, users - 1)
