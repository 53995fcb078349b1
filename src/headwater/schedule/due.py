"""When a dynamic table is due. Pure: the time is given.

Law: ticks are counted from the baseline, and however many were missed, one refresh makes up for
all. Times from which the clock has gone back further than a tick are taken for never.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.schedules import MOST_BACKOFF, ScheduledTable

_EARLY = 0.1
"""The part of a target lag that is left for what nobody expects."""
_MOST_BACKOFF = MOST_BACKOFF * 1.25


def due_since(table: ScheduledTable, at: datetime) -> datetime | None:
    """Since when a table is due at `at`; None when it is not, or when it has to wait."""
    since = None if waits(table, at) else _next(table, at)
    return since if since is not None and since <= at else None


def next_due(table: ScheduledTable, at: datetime) -> datetime | None:
    """When a table is due by itself, seen from `at`; None if nothing is planned for it."""
    since = _next(table, at)
    if since is not None and table.not_before is not None and waits(table, at):
        return max(since, table.not_before)
    return since


def _next(table: ScheduledTable, at: datetime) -> datetime | None:
    schedule = table.schedule
    if schedule is None or not table.moves or schedule.downstream:
        return None
    if schedule.target_lag_seconds is not None:
        return _by_lag(table, schedule.target_lag_seconds, at)
    if schedule.interval_seconds is not None:
        return _by_interval(table, schedule, timedelta(seconds=schedule.interval_seconds), at)
    return _once(table, schedule)


def waits(table: ScheduledTable, at: datetime) -> bool:
    """Whether a refresh failed and it is too early for the next one."""
    until = table.not_before
    return until is not None and at < until <= at + _MOST_BACKOFF


def joins(table: ScheduledTable, at: datetime) -> bool:
    """Whether a table may be refreshed because another one needs it, before it is due itself."""
    schedule = table.schedule
    if schedule is None or not table.moves:
        return False
    repeats = schedule.interval_seconds or schedule.target_lag_seconds or schedule.downstream
    begun = schedule.start_text is None or schedule.start is None or schedule.start <= at
    return bool(repeats) and begun


def patience(table: ScheduledTable) -> timedelta:
    """How long a table that is due may wait before others have to wait for it."""
    schedule = table.schedule or Schedule()
    seconds = schedule.target_lag_seconds or schedule.interval_seconds or 0
    return timedelta(seconds=seconds)


def _by_interval(
    table: ScheduledTable, schedule: Schedule, every: timedelta, at: datetime
) -> datetime:
    start = _first(schedule, every, at)
    baseline = _sane(table.baseline, every, at)
    last = _sane(table.refreshed_at, every, at)
    known = [moment for moment in (start, baseline) if moment is not None]
    anchor = max(known, default=last or at)
    if last is None or last < anchor:
        return anchor
    return anchor + ((last - anchor) // every + 1) * every


def _first(schedule: Schedule, every: timedelta, at: datetime) -> datetime | None:
    """When the schedule begins; only START WITH may say that it begins in the future."""
    if schedule.start_text is not None:
        return schedule.start
    return _sane(schedule.start, every, at)


def _by_lag(table: ScheduledTable, seconds: int, at: datetime) -> datetime:
    """So early that the refresh ends before the lag is reached, yet twice in a lag at most."""
    last = _sane(table.refreshed_at, timedelta(seconds=seconds), at)
    if last is None:
        return min(at, table.baseline or at)
    wait = max(seconds / 2, seconds * (1 - _EARLY) - 2 * table.took_seconds)
    return last + timedelta(seconds=wait)


def _once(table: ScheduledTable, schedule: Schedule) -> datetime | None:
    """The one refresh that START WITH without an INTERVAL asks for."""
    if schedule.start_text is None or schedule.start is None:
        return None
    done = table.refreshed_at is not None and table.refreshed_at >= schedule.start
    return None if done else schedule.start


def _sane(moment: datetime | None, most: timedelta, at: datetime) -> datetime | None:
    """A moment, unless the clock has gone back from it for longer than one would wait."""
    return None if moment is None or moment > at + most else moment
