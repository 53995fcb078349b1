"""Plan times as users type them: a day, or a time of the task's wall clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from headwater.errors import Span, UserError
from headwater.time_zones import zone_of

_DAY_LENGTH = len("2026-12-31")


def plan_time(text: str, zone: str, *, span: Span | None, end_of_day: bool = False) -> datetime:
    """A moment; of a day without a time its beginning, or the moment before its end."""
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError("TASK_TIME", given=text, example="2026-12-31 02:30", span=span) from None
    if end_of_day and len(text.strip()) == _DAY_LENGTH:
        following = date.fromisoformat(text.strip()) + timedelta(days=1)
        read = datetime.combine(following, datetime.min.time())
        return _in_zone(read, zone) - timedelta(microseconds=1)
    return _in_zone(read, zone)


def _in_zone(read: datetime, zone: str) -> datetime:
    return (read if read.tzinfo is not None else read.replace(tzinfo=zone_of(zone))).astimezone(UTC)
