"""Moments and durations as people read them. Pure: the present is given."""

from __future__ import annotations

from datetime import datetime, timedelta

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def moment(value: datetime | None) -> str:
    """A moment to the second; a dash for none.

    >>> moment(datetime(2026, 11, 16, 9, 5, 7, 123)), moment(None)
    ('2026-11-16 09:05:07', '-')
    """
    return "-" if value is None else value.strftime("%Y-%m-%d %H:%M:%S")


def duration(value: timedelta | float | None) -> str:
    """A length of time in its two largest units; a dash for none.

    >>> duration(timedelta(hours=26, minutes=5)), duration(61.2), duration(0.25), duration(None)
    ('1 d 2 h', '1 min 1 s', '250 ms', '-')
    """
    if value is None:
        return "-"
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if 0 < seconds < 1:
        return f"{round(seconds * 1000)} ms"
    left, parts = round(seconds), []
    for size, unit in _STEPS:
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return " ".join(parts[:2]) or "0 s"


def ago(value: datetime | None, now: datetime) -> str:
    """How long ago a moment was, in its largest unit.

    >>> ago(datetime(2026, 11, 16, 9), datetime(2026, 11, 16, 11, 30))
    '2 h ago'
    """
    if value is None:
        return "never"
    seconds = (now - value).total_seconds()
    shown = " ".join(duration(abs(seconds)).split()[:2])
    if abs(seconds) < 1:
        return "now"
    return f"{shown} ago" if seconds > 0 else f"in {shown}"
