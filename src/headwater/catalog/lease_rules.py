"""Who may write the lake: one process at a time, by a lease with a fencing number. No I/O.

Invariant: the fencing number grows by one with every grant and never goes back, so whatever carries
an older number was written by a process that has since lost the lake.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Instance:
    """One process that has opened the lake.

    `process_started` is whatever tells this process from a later one with the same pid;
    `service_url` is where it listens, if it is a service.
    """

    id: str
    host: str
    pid: int
    process_started: str
    user_name: str
    started_at: datetime
    heartbeat_at: datetime
    service_url: str | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease as it is stored. After a release it has no holder but keeps its number."""

    holder: str | None
    fencing: int
    acquired_at: datetime | None = None
    expires_at: datetime | None = None

    def expired(self, now: datetime) -> bool:
        """Whether its time is over; the moment of expiry itself counts as over."""
        return self.expires_at is None or now >= self.expires_at


@dataclass(frozen=True, slots=True)
class Grant:
    """The asker may take the lease, with this number."""

    fencing: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Somebody else holds the lease, by right."""

    lease: Lease


def decide(current: Lease | None, me: str, *, now: datetime, holder_alive: bool) -> Grant | Refusal:
    """Whether the process `me` may have the lease.

    `holder_alive` is what is known of the holder's process; where nothing is known (another host)
    it is True, and only the lease's expiry frees the lake.
    """
    if current is None:
        return Grant(1)
    free = current.holder is None or current.holder == me
    if free or current.expired(now) or not holder_alive:
        return Grant(current.fencing + 1)
    return Refusal(current)


def why_lost(current: Lease | None, me: str, *, fencing: int, now: datetime) -> str | None:
    """Why `me` no longer holds the lease it got with number `fencing`; None when it still does.

    An expired lease counts as lost even if nobody has taken it: somebody may, at any moment.
    """
    if current is None or current.fencing != fencing or current.holder not in (me, None):
        return "it has been taken over since"
    if current.holder is None:
        return "it was released"
    if current.expired(now):
        return "its lease was not renewed in time"
    return None
