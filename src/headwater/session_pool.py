"""Sessions for work that nobody types: batches of pipes and scheduled refreshes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.runtime.open_lake import OpenLake
from headwater.session import Session


@dataclass(slots=True)
class SessionPool:
    """One session for each piece of work that runs at the same time."""

    lake: OpenLake
    _free: list[tuple[Session, str]] = field(default_factory=list)
    _all: list[Session] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def session(self, key: str) -> Iterator[Session]:
        """A session, if possible the one that did the same work before: it remembers things."""
        session = self._take(key)
        try:
            yield session
        finally:
            with self._lock:
                self._free.append((session, key))

    def _take(self, key: str) -> Session:
        with self._lock:
            for place, (session, known) in enumerate(self._free):
                if known == key:
                    del self._free[place]
                    return session
            if self._free:
                return self._free.pop(0)[0]
            session = Session.beside(self.lake)
            self._all.append(session)
            return session

    def cancel(self) -> None:
        """Cancel what runs now."""
        with self._lock:
            sessions = list(self._all)
        for session in sessions:
            session.cancel()

    def close(self) -> None:
        """Give all sessions back."""
        for session in self._all:
            session.close()
