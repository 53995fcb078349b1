"""Dynamic tables as the schedule sees them, and what success and failure do to them. No I/O.

Law: only scheduled failures count, and only in a row. The last of `FAILURES_TO_SUSPEND` suspends
the table and says why; RESUME and a success begin anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from headwater.catalog.dynamic_tables import Schedule
from headwater.names import QualifiedName

FAILURES_TO_SUSPEND = 5

FIRST_BACKOFF = timedelta(seconds=30)
MOST_BACKOFF = timedelta(minutes=5)
_DOUBLINGS = 4


@dataclass(frozen=True, slots=True)
class ScheduledTable:
    """What decides when a dynamic table is refreshed; small, because a tick reads all of them.

    `baseline` is when it was made or last refreshed by hand, `refreshed_at` is how recent its rows
    are, `took_seconds` is what its last scheduled refresh took. A table that has a
    `suspended_reason` and is not suspended reads one that its failures suspended.
    """

    id: str
    name: QualifiedName
    sources: tuple[str, ...] = ()
    schedule: Schedule | None = None
    baseline: datetime | None = None
    refreshed_at: datetime | None = None
    failures: int = 0
    not_before: datetime | None = None
    took_seconds: float = 0.0
    suspended: bool = False
    suspended_reason: str | None = None

    @property
    def moves(self) -> bool:
        """Whether the schedule refreshes it at all."""
        return self.schedule is not None and not self.suspended and self.suspended_reason is None

    @property
    def suspended_by_failures(self) -> bool:
        """Whether its own failures have suspended it, and not the user."""
        return self.suspended and self.failures >= FAILURES_TO_SUSPEND


def failed(table: ScheduledTable, at: datetime, message: str, *, jitter: float) -> ScheduledTable:
    """The table after a scheduled refresh that failed; `jitter` from 0 up to 1 spreads retries."""
    failures = table.failures + 1
    after = replace(table, failures=failures, not_before=at + backoff(failures, jitter))
    if failures < FAILURES_TO_SUSPEND:
        return after
    reason = f"{failures} scheduled refreshes failed in a row, the last one with {message}"
    return replace(after, suspended=True, suspended_reason=reason, not_before=None)


def succeeded(table: ScheduledTable, *, took_seconds: float) -> ScheduledTable:
    """The table after a scheduled refresh that ended well."""
    return replace(table, failures=0, not_before=None, took_seconds=took_seconds)


def backoff(failures: int, jitter: float) -> timedelta:
    """How long to wait after so many failures in a row: half a minute, doubled, and a bit more.

    >>> [backoff(failures, 0).seconds for failures in (1, 2, 3, 4, 5, 1000)]
    [30, 60, 120, 240, 300, 300]
    """
    doubled = FIRST_BACKOFF * (1 << min(failures - 1, _DOUBLINGS))
    return min(doubled, MOST_BACKOFF) * (1 + jitter / 4)
