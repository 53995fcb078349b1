"""What happened over time, counted in spans of equal length. Pure: the present is given.

Law: every event of the time that is shown is in one span, and others are in none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Bucket:
    """A span of time, and what happened in it."""

    begin: datetime
    done: int = 0
    failed: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Happened:
    """One event: when, whether it went well, and how much it moved."""

    at: datetime
    ok: bool = True
    amount: int = 0


def buckets(
    events: Iterable[Happened],
    now: datetime,
    *,
    width: timedelta = timedelta(hours=1),
    count: int = 24,
) -> list[Bucket]:
    """The last `count` spans, oldest first; the last one is that of the present."""
    last = _floor(now, width)
    first = last - width * (count - 1)
    done, failed, amount = [0] * count, [0] * count, [0] * count
    for event in events:
        place = (event.at - first) // width
        if 0 <= place < count:
            done[place] += event.ok
            failed[place] += not event.ok
            amount[place] += event.amount
    return [
        Bucket(first + width * place, done[place], failed[place], amount[place])
        for place in range(count)
    ]


def _floor(at: datetime, width: timedelta) -> datetime:
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (at - midnight) // width * width
