"""The values a filter works on: the kinds they come in, and how one kind is read as another.

Timestamps are instants here: every one is moved to UTC, a naive one being read in the session's
zone, so that rows and literals compare whatever zone they were written in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from zoneinfo import ZoneInfo

from headwater.cell_text import cell
from headwater.sql.intervals import read_interval

Value = None | bool | int | float | Decimal | str | date | datetime | timedelta
Conversion = Callable[[Value], Value]


class Family(StrEnum):
    """Kinds of values; those of one kind compare with each other."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    INTERVAL = "interval"
    NULL = "null"
    NESTED = "nested value"


_FAMILIES = {
    "string": Family.STRING,
    "varchar": Family.STRING,
    "char": Family.STRING,
    "tinyint": Family.NUMBER,
    "smallint": Family.NUMBER,
    "int": Family.NUMBER,
    "bigint": Family.NUMBER,
    "float": Family.NUMBER,
    "double": Family.NUMBER,
    "decimal": Family.NUMBER,
    "boolean": Family.BOOLEAN,
    "date": Family.DATE,
    "timestamp": Family.TIMESTAMP,
    "timestamp_ltz": Family.TIMESTAMP,
    "timestamp_ntz": Family.TIMESTAMP,
    "interval": Family.INTERVAL,
    "void": Family.NULL,
}
_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})
_TIMESTAMP = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})"
    r"(?:[T ](?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})"
    r"(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d{0,9}))?)?\s*(?P<zone>\S+)?)?)?)?)?"
)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


def family_of(sql_type: str) -> Family:
    """The kind of a column by its SQL type, such as `decimal(10,2)` or `interval day to second`."""
    word = re.split(r"[\s(<]", sql_type.strip().lower(), maxsplit=1)[0]
    return _FAMILIES.get(word, Family.NESTED)


def comparable(left: Family, right: Family) -> Family | None:
    """The kind both sides are read as before they are compared, or None when they do not compare.

    A string gives way to anything else, as in Spark.
    """
    families = {left, right} - {Family.NULL}
    if Family.NESTED in families:
        return None
    if len(families) < 2:
        return next(iter(families), Family.NULL)
    if Family.STRING in families:
        return next(iter(families - {Family.STRING}))
    if families == {Family.DATE, Family.TIMESTAMP}:
        return Family.TIMESTAMP
    return Family.NUMBER if families == {Family.BOOLEAN, Family.NUMBER} else None


def instant(value: datetime, zone: tzinfo) -> datetime:
    """`value` in UTC, read in `zone` if it names none itself."""
    aware = value if value.tzinfo else value.replace(tzinfo=zone)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # at the very ends of the calendar
        return aware.replace(tzinfo=UTC)


def conversion(source: Family, target: Family, zone: tzinfo) -> Conversion | None:
    """How a value is read as another kind; it raises ValueError. None when it cannot be."""
    if source in (target, Family.NULL):
        return _same
    if target is Family.STRING and source is not Family.NESTED:
        return lambda value: _text(value, zone)
    readers: dict[tuple[Family, Family], Conversion] = {
        (Family.STRING, Family.NUMBER): lambda value: read_number(str(value)),
        (Family.STRING, Family.BOOLEAN): lambda value: read_boolean(str(value)),
        (Family.STRING, Family.DATE): lambda value: read_timestamp(str(value), zone).date(),
        (Family.STRING, Family.TIMESTAMP): lambda value: instant(
            read_timestamp(str(value), zone), zone
        ),
        (Family.STRING, Family.INTERVAL): lambda value: read_interval(str(value)),
        (Family.BOOLEAN, Family.NUMBER): int,  # type: ignore[dict-item]  # only ever a bool
        (Family.NUMBER, Family.BOOLEAN): bool,
        (Family.DATE, Family.TIMESTAMP): lambda value: _midnight(value, zone),
        (Family.TIMESTAMP, Family.DATE): lambda value: _local(value, zone).date(),
    }
    return readers.get((source, target))


def _same(value: Value) -> Value:
    return value


def _local(value: Value, zone: tzinfo) -> datetime:
    assert isinstance(value, datetime)
    return value.astimezone(zone).replace(tzinfo=None)


def _midnight(value: Value, zone: tzinfo) -> datetime:
    assert isinstance(value, date)
    return instant(datetime.combine(value, time()), zone)


def _text(value: Value, zone: tzinfo) -> str:
    return cell(_local(value, zone) if isinstance(value, datetime) else value)


def read_number(text: str) -> int | Decimal:
    """An integer, or a decimal number."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(text) from None
    if not number.is_finite():
        raise ValueError(text)
    return int(number) if re.fullmatch(r"\s*[+-]?\d+\s*", text) else number


def read_boolean(text: str) -> bool:
    """One of the words Spark takes for true and false."""
    word = text.strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(text)
    return word in _TRUE


def read_timestamp(text: str, zone: tzinfo) -> datetime:
    """A point in time, in `zone`; the text may name another zone that it is in.

    The end may be left out: `2024`, `2024-05`, `2024-05-17`, `2024-05-17 11:33`.
    """
    match = _TIMESTAMP.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    numbers = {
        unit: int(match[unit] or smallest)
        for unit, smallest in (("year", 1), ("month", 1), ("day", 1))
    }
    clock = {unit: int(match[unit] or 0) for unit in ("hour", "minute", "second")}
    microsecond = int((match["fraction"] or "")[:6].ljust(6, "0"))
    own_zone = read_zone(match["zone"]) if match["zone"] else zone
    moment = datetime(**numbers, **clock, microsecond=microsecond, tzinfo=own_zone)
    return moment.astimezone(zone) if match["zone"] else moment


def read_zone(text: str) -> tzinfo:
    """`Z`, `+08:00` or `Asia/Shanghai`."""
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if match:
        size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(size if match[1] == "+" else -size)
    try:
        return ZoneInfo(text)
    except (KeyError, OSError):
        raise ValueError(text) from None
