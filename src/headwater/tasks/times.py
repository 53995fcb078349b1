"""The plan times of a cycle, and the period that an instance stands for. Pure.

Law: plan times are moments of the wall clock in the task's time zone. A time that the clock skips
in spring happens at the moment the clock has skipped to; in autumn what runs every minute or hour
runs in both hours of the same name, and what runs daily runs in the first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from headwater.sql.task_cycle import Cycle, CycleUnit, cron_of
from headwater.time_zones import zone_of

_DAY = timedelta(days=1)
_FARTHEST = 366 * 9
"""Days to look ahead: the 29th of February may be eight years away."""


def times_between(cycle: Cycle, after: datetime, until: datetime) -> Iterator[datetime]:
    """The plan times later than `after`, up to and with `until`, in order."""
    if until <= after:
        return
    zone = _zone(cycle)
    # A day before: a zone may be changed by a rule at midnight.
    day, last = after.astimezone(zone).date() - _DAY, until.astimezone(zone).date()
    while day <= last:
        moments = times_of_day(cycle, day)
        yield from moments[bisect_right(moments, after) : bisect_right(moments, until)]
        day += _DAY


# A day is asked for many times while instances of that day wait.
@lru_cache(maxsize=1024)
def times_of_day(cycle: Cycle, day: date) -> tuple[datetime, ...]:
    """The plan times of a day of the cycle's time zone."""
    cron, zone = cron_of(cycle), _zone(cycle)
    if not cron.on(day) or not _in_effect(cycle, day):
        return ()
    folds = (0,) if cycle.unit is CycleUnit.DAY else (0, 1)
    found = {
        datetime.combine(day, time(hour, minute, fold=fold), zone).astimezone(UTC)
        for hour in cron.hours
        for minute in cron.minutes
        for fold in folds
    }
    return tuple(sorted(found))


def next_time(cycle: Cycle, after: datetime) -> datetime | None:
    """The first plan time later than `after`; None when there is none in sight."""
    day = after.astimezone(_zone(cycle)).date()
    for _ in range(_FARTHEST):
        found = _first_after(times_of_day(cycle, day), after)
        if found is not None:
            return found
        day += _DAY
        if cycle.last_day is not None and day > date.fromisoformat(cycle.last_day):
            return None
    return None


def previous_time(cycle: Cycle, before: datetime, *, not_before: datetime) -> datetime | None:
    """The last plan time earlier than `before` and later than `not_before`."""
    zone = _zone(cycle)
    day, first = before.astimezone(zone).date(), not_before.astimezone(zone).date()
    while day >= first:
        moments = times_of_day(cycle, day)
        place = bisect_left(moments, before)
        if place and moments[place - 1] > not_before:
            return moments[place - 1]
        day -= _DAY
    return None


def period_of(cycle: Cycle, plan_at: datetime) -> tuple[datetime, datetime]:
    """What an instance stands for, from and up to without: its day, or its hours or minutes.

    Hours and minutes reach up to the next plan time, and not beyond the day.
    """
    zone = _zone(cycle)
    local = plan_at.astimezone(zone)
    day_end = _midnight(local.date() + _DAY, zone)
    if cycle.unit is CycleUnit.DAY:
        return _midnight(local.date(), zone), day_end
    start = _begin(cycle, plan_at)
    following = _first_after(times_of_day(cycle, local.date()), plan_at)
    end = day_end if following is None else min(_begin(cycle, following), day_end)
    return start, end


def _first_after(moments: tuple[datetime, ...], after: datetime) -> datetime | None:
    place = bisect_right(moments, after)
    return moments[place] if place < len(moments) else None


def _begin(cycle: Cycle, moment: datetime) -> datetime:
    """The begin of the hour or minute."""
    local = moment.astimezone(_zone(cycle)).replace(second=0, microsecond=0)
    if cycle.unit is CycleUnit.HOUR:
        return moment.replace(second=0, microsecond=0) - timedelta(minutes=local.minute)
    return local.astimezone(UTC)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _in_effect(cycle: Cycle, day: date) -> bool:
    shown = day.isoformat()
    begun = cycle.first_day is None or cycle.first_day <= shown
    return begun and (cycle.last_day is None or shown <= cycle.last_day)


def _zone(cycle: Cycle) -> tzinfo:
    return zone_of(cycle.time_zone or "UTC")
