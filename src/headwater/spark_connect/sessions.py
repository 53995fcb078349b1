"""The sessions of clients: a client names its own, and nobody else's token opens it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Protocol

from headwater.errors import TransientError
from headwater.result import Result

MOST_SESSIONS = 200
IDLE_SECONDS = 3600.0


class OwnSession(Protocol):
    """What the endpoint needs of a session."""

    def run(self, text: str) -> Result: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Login:
    """Whom a token proves, and how their sessions are opened."""

    owner: Hashable
    open: Callable[[], OwnSession]


LogIn = Callable[[str, str], Login]
"""From a token and an address; an error refuses it."""


@dataclass(slots=True)
class Client:
    """A session of a client."""

    id: str
    own: OwnSession
    server_id: str = field(default_factory=lambda: secrets.token_hex(16))
    used_at: float = field(default_factory=time.monotonic)
    running: set[str] = field(default_factory=set)
    """The operations under way."""


class Clients:
    """The open sessions, from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[Hashable, str], Client] = {}

    def of(self, login: Login, session: str) -> Client:
        """The session that a client names; a new one if it is not open."""
        key = (login.owner, session)
        with self._lock:
            idle = self._take_idle()
            found = self._open.get(key)
            if found is None:
                if len(self._open) >= MOST_SESSIONS:
                    raise TransientError("TOO_MANY_SESSIONS", most=MOST_SESSIONS)
                found = self._open[key] = Client(session, login.open())
            found.used_at = time.monotonic()
        for client in idle:
            client.own.close()
        return found

    def _take_idle(self) -> list[Client]:
        oldest = time.monotonic() - IDLE_SECONDS
        idle = [key for key, c in self._open.items() if not c.running and c.used_at < oldest]
        return [self._open.pop(key) for key in idle]

    def close(self, login: Login, session: str) -> None:
        """Cancel what runs in it, and close it; one that is not open is left so."""
        with self._lock:
            found = self._open.pop((login.owner, session), None)
        if found is not None:
            found.own.cancel()
            found.own.close()

    def close_all(self) -> None:
        """When the endpoint ends."""
        with self._lock:
            left = list(self._open.values())
            self._open.clear()
        for client in left:
            client.own.cancel()
            client.own.close()
