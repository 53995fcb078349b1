"""The sessions of clients: each has its schema, settings and temporary views, until it is idle.

Invariant: every session of the service is made by `open_session`, for an identity that was checked.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

from headwater.errors import TransientError, UserError
from headwater.runtime.open_lake import OpenLake
from headwater.service.identity import Identity
from headwater.service.limits import Limits
from headwater.session import Session
from headwater.sql.settings import TIME_ZONE_KEY


def open_session(lake: OpenLake, identity: Identity, *, time_zone: str | None = None) -> Session:
    """A session in which a user's statements run; it shows times in the lake's zone, or in one."""
    made = Session.beside(lake, identity=identity)
    # Whoever asks sits elsewhere, and this machine's files are not theirs, admins or not.
    made.state.local_files = False
    if time_zone is not None:
        made.state.settings[TIME_ZONE_KEY] = time_zone
    return made


@dataclass(slots=True)
class ClientSession:
    """A session with its owner, and since when nobody has used it."""

    id: str
    owner: Identity
    session: Session
    used_at: float = field(default_factory=time.monotonic)
    users: int = 0


class Sessions:
    """The open sessions, from several threads."""

    def __init__(self, lake: OpenLake, limits: Limits) -> None:
        self._lake = lake
        self._limits = limits
        self._lock = threading.Lock()
        self._open: dict[str, ClientSession] = {}

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    def open(self, identity: Identity, *, time_zone: str | None = None) -> ClientSession:
        """A new session; it shows times in the lake's zone, or in one."""
        with self._lock:
            if len(self._open) >= self._limits.sessions:
                raise TransientError("TOO_MANY_SESSIONS", most=self._limits.sessions)
            session = open_session(self._lake, identity, time_zone=time_zone)
            made = ClientSession(secrets.token_hex(16), identity, session)
            self._open[made.id] = made
        return made

    def take(self, session: str, identity: Identity) -> ClientSession:
        """Use a session of one's own; to be undone by `give_back`."""
        with self._lock:
            found = self._find(session, identity)
            found.users += 1
            return found

    def give_back(self, taken: ClientSession) -> None:
        """The use is over."""
        with self._lock:
            taken.users -= 1
            taken.used_at = time.monotonic()

    def close(self, session: str, identity: Identity) -> None:
        """Cancel what runs in it, and close it."""
        with self._lock:
            found = self._find(session, identity)
            del self._open[found.id]
        _end(found)

    def close_idle(self) -> None:
        """Close those that nobody has used for too long."""
        oldest = time.monotonic() - self._limits.session_seconds
        with self._lock:
            idle = [s for s in self._open.values() if not s.users and s.used_at < oldest]
            for session in idle:
                del self._open[session.id]
        for session in idle:
            _end(session)

    def close_all(self) -> None:
        """When the service ends."""
        with self._lock:
            left = list(self._open.values())
            self._open.clear()
        for session in left:
            _end(session)

    def _find(self, session: str, identity: Identity) -> ClientSession:
        found = self._open.get(session)
        # A role may have changed since, and a session keeps what it was opened with.
        if found is None or found.owner != identity:
            raise UserError("SESSION_NOT_FOUND", session=session)
        return found


def _end(session: ClientSession) -> None:
    session.session.cancel()
    session.session.close()
