"""Interval literals as durations: `'1' hour`, `5 minutes`, `'0 00:00:01' day to second`.

Months and years are no durations, because their length depends on where they start.
"""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal, InvalidOperation

_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_LENGTHS = {
    "WEEK": timedelta(weeks=1),
    "DAY": timedelta(days=1),
    "HOUR": timedelta(hours=1),
    "MINUTE": timedelta(minutes=1),
    "SECOND": timedelta(seconds=1),
    "MILLISECOND": timedelta(milliseconds=1),
    "MICROSECOND": timedelta(microseconds=1),
}
_MICROSECOND = timedelta(microseconds=1)
_AMOUNT_AND_UNIT = re.compile(r"\s*([+-]?\s*\d+(?:\.\d*)?)\s*([a-z]+)", re.IGNORECASE)
_TYPED = re.compile(r"\s*interval\s+'([^']*)'\s+([a-z]+)(?:\s+to\s+([a-z]+))?\s*", re.IGNORECASE)


def duration(amount: str, unit: str) -> timedelta:
    """So many of a unit, singular or plural; ValueError when it is no duration.

    >>> duration("1.5", "seconds")
    datetime.timedelta(seconds=1, microseconds=500000)
    """
    length = _LENGTHS.get(unit.upper().removesuffix("S"))
    try:
        number = Decimal(amount.replace(" ", ""))
    except InvalidOperation:
        raise ValueError(amount) from None
    if length is None or not number.is_finite():
        raise ValueError(amount)
    return timedelta(microseconds=int(number * (length // _MICROSECOND)))


def duration_between(text: str, first: str, last: str) -> timedelta:
    """The literal of `INTERVAL '<text>' <first> TO <last>`, such as `0 00:00:01` day to second."""
    if first.upper() not in _UNITS or last.upper() not in _UNITS:
        raise ValueError(text)
    units = _UNITS[_UNITS.index(first.upper()) : _UNITS.index(last.upper()) + 1]
    stripped = text.strip()
    sign = -1 if stripped.startswith("-") else 1
    parts = re.split(r"[ :]", stripped.lstrip("+-"))
    if len(parts) != len(units) or not all(re.fullmatch(r"\d+(\.\d*)?", part) for part in parts):
        raise ValueError(text)
    pairs = zip(parts, units, strict=True)
    return sign * sum((duration(part, unit) for part, unit in pairs), timedelta())


def read_interval(text: str) -> timedelta:
    """A text as a duration: `1 day 2 hours`, `0 00:00:01`, `INTERVAL '1' HOUR`."""
    typed = _TYPED.fullmatch(text)
    if typed:
        body, first, last = typed.groups()
        return duration_between(body, first, last) if last else duration(body, first)
    parts = _AMOUNT_AND_UNIT.findall(text)
    if parts and not _AMOUNT_AND_UNIT.sub("", text).strip():
        return sum((duration(amount, unit) for amount, unit in parts), timedelta())
    return duration_between(text, "DAY", "SECOND")
