"""Cron expressions with seven fields: second, minute, hour, day, month, day of week, year. Pure.

As Quartz reads them: days of the week count from 1, which is Sunday; `?` stands for "whatever" in
one of the two fields of days; the year may be left out. The seconds are 0, because nothing here
runs more often than once a minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
_WEEKDAYS = "SUN MON TUE WED THU FRI SAT".split()
_ANY = ("*", "?")
_LAST = "L"
_FIELDS = ("second", "minute", "hour", "day", "month", "day of the week", "year")
_RANGES = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2099))
_NAMES: tuple[list[str], ...] = ([], [], [], [], _MONTHS, _WEEKDAYS, [])


@dataclass(frozen=True, slots=True)
class Cron:
    """The moments of a day, and the days; `days` and `weekdays` are None where any will do."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int] | None = None
    months: frozenset[int] = frozenset(range(1, 13))
    weekdays: frozenset[int] | None = None
    """1 is Sunday."""
    years: frozenset[int] | None = None
    last_day: bool = False
    """The last day of the month counts too."""

    def on(self, day: date) -> bool:
        """Whether it runs on a day."""
        if day.month not in self.months or (self.years is not None and day.year not in self.years):
            return False
        if self.weekdays is not None and day.isoweekday() % 7 + 1 not in self.weekdays:
            return False
        if self.days is None:
            return True
        return day.day in self.days or (self.last_day and (day + timedelta(days=1)).day == 1)


def read_cron(text: str) -> Cron:
    """The expression; ValueError says in words what is wrong with it.

    >>> read_cron("0 30 2 * * ? *").hours
    (2,)
    """
    fields = text.upper().split()
    if len(fields) not in (6, 7):
        raise ValueError(f"it has {len(fields)} fields and not seven")
    fields = [*fields, "*"][:7]
    if fields[0] != "0":
        raise ValueError("its first field, the second, must be 0")
    if fields[3] not in _ANY and fields[5] not in _ANY:
        raise ValueError("one of day and day of the week must be ?")
    last_day = fields[3] == _LAST
    days = frozenset[int]() if last_day else _given(fields, 3)
    return Cron(
        minutes=tuple(sorted(_values(fields[1], 1))),
        hours=tuple(sorted(_values(fields[2], 2))),
        days=days,
        months=frozenset(_values(fields[4], 4)),
        weekdays=_given(fields, 5),
        years=_given(fields, 6),
        last_day=last_day,
    )


def _given(fields: list[str], place: int) -> frozenset[int] | None:
    return None if fields[place] in _ANY else frozenset(_values(fields[place], place))


def _values(field: str, place: int) -> set[int]:
    found = set[int]()
    for part in field.split(","):
        found |= _part(part, place)
    return found


def _part(part: str, place: int) -> set[int]:
    least, most = _RANGES[place]
    span, slash, step = part.partition("/")
    every = _number(step, place) if slash else 1
    if every < 1:
        raise ValueError(f"the {_FIELDS[place]} repeats every {step}")
    if span in _ANY:
        return set(range(least, most + 1, every))
    first, dash, last = span.partition("-")
    start = _number(first, place)
    end = _number(last, place) if dash else (most if slash else start)
    if not least <= start <= end <= most:
        raise ValueError(f"the {_FIELDS[place]} {span} is not within {least} and {most}")
    return set(range(start, end + 1, every))


def _number(text: str, place: int) -> int:
    if text in _NAMES[place]:
        return _NAMES[place].index(text) + 1
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text or 'nothing'} is no {_FIELDS[place]}")
    return int(text)
