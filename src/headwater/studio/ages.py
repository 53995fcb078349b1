"""How long ago something was, by the clock of the page's user."""

from __future__ import annotations

from datetime import datetime

from headwater.runtime.clock import now
from headwater.studio.desk import Desk
from headwater.studio.shown_times import ago, moment
from headwater.time_zones import zone_of


def aged(desk: Desk, value: datetime | str | None) -> str:
    """A moment as SHOW or DESC gives it, and how far away it is; nothing for none."""
    if not value:
        return ""
    zone = zone_of(desk.look.time_zone or desk.service.lake.config.time_zone)
    return moment_and_age(str(value), now().astimezone(zone).replace(tzinfo=None))


def moment_and_age(text: str, present: datetime) -> str:
    """Both in one line; a text that is no moment stays as it is.

    >>> moment_and_age("2026-11-16 09:00:00.123", datetime(2026, 11, 16, 11, 0, 1))
    '2 h ago (2026-11-16 09:00:00)'
    >>> moment_and_age("soon", datetime(2026, 11, 16))
    'soon'
    """
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{ago(value, present)} ({moment(value)})"
