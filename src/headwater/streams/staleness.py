"""When a stream has waited too long: a pure rule over times.

Law: a stream is stale exactly when the first change after its offset is older than the limit. So a
source that does not change never makes a stream stale, and consuming it always mends it in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.names import counted

_WARN_AT = 0.8
_DAY, _HOUR = 86_400, 3_600


@dataclass(frozen=True, slots=True)
class Staleness:
    """Whether a stream can still be read, until when, and what its owner should know."""

    stale: bool
    stale_after: datetime | None = None
    """None while there is nothing to consume."""
    warning: str | None = None


def limit_of(*, retention_days: int, extension_days: int) -> timedelta:
    """How long changes wait for a stream: what the table keeps anyway, and longer if it is short.

    >>> limit_of(retention_days=7, extension_days=14).days
    14
    """
    return timedelta(days=max(retention_days, extension_days))


def stale_after(first_unconsumed_at: datetime | None, limit: timedelta) -> datetime | None:
    """Until when a stream can be read, if its first change that waits was committed then."""
    return None if first_unconsumed_at is None else first_unconsumed_at + limit


def staleness(
    first_unconsumed_at: datetime | None,
    limit: timedelta,
    *,
    at: datetime,
    source_purged: bool = False,
) -> Staleness:
    """How a stream stands at the moment `at`; without its source for ever, it is stale for ever."""
    until = stale_after(first_unconsumed_at, limit)
    if source_purged:
        return Staleness(stale=True, warning="what it watches was dropped for good")
    if until is None:
        return Staleness(stale=False)
    if at > until:
        return Staleness(stale=True, stale_after=until)
    warn_from = until - limit * (1 - _WARN_AT)
    return Staleness(False, until, _warning(until - at) if at >= warn_from else None)


def _warning(left: timedelta) -> str:
    return f"it is stale in {_shown(left)}: consume it, or raise data_retention_days of its table"


def _shown(left: timedelta) -> str:
    """A time in days and hours, rounded down.

    >>> _shown(timedelta(days=2, hours=5, minutes=59)), _shown(timedelta(minutes=9))
    ('2 days 5 hours', 'less than an hour')
    """
    days, rest = divmod(int(left.total_seconds()), _DAY)
    parts = [counted(days, "day")] if days else []
    parts += [counted(rest // _HOUR, "hour")] if rest >= _HOUR else []
    return " ".join(parts) or "less than an hour"
