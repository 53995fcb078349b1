"""Time zones by the names Spark takes: `Europe/Berlin`, `UTC`, `Z`, `+08:00`."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?\Z")
_LARGEST_OFFSET = timedelta(hours=18)


def zone_of(name: str) -> tzinfo:
    """The zone with that name; ValueError when there is none.

    >>> zone_of("+05:30").utcoffset(None)
    datetime.timedelta(seconds=19800)
    """
    found = _OFFSET.match(name)
    if found is not None:
        sign, hours, minutes = found.groups()
        size = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if size <= _LARGEST_OFFSET:
            return timezone(size if sign == "+" else -size)
    if name in ("Z", "UTC", "GMT", "Etc/UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(f"there is no time zone {name!r}") from error
