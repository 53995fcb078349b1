"""How far back VACUUM leaves the files of old versions alone; pure.

Law: no file goes that a version within the table's retention reads, nor one that a stream or a
dynamic table which did not wait too long still needs. One that did holds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.streams.staleness import stale_after

_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Need:
    """What a stream has not shown, or a dynamic table not computed, yet.

    `since` is when the version was committed that it stands at. The files of that version were
    removed after it, though perhaps before `first_unconsumed_at`: a statement notes the time of a
    removal while it works, and commits when it is done.
    """

    reader: str
    since: datetime
    first_unconsumed_at: datetime


@dataclass(frozen=True, slots=True)
class Horizon:
    """For how many hours files stay after they were removed, and who made it longer."""

    hours: int
    held_by: Need | None = None


def vacuum_horizon(
    needs: Iterable[Need], *, at: datetime, retention: timedelta, limit: timedelta
) -> Horizon:
    """The horizon at the moment `at` of a table with these readers."""
    live = [need for need in needs if _waits(need, at, limit)]
    hours = math.ceil(retention / _HOUR)
    if not live:
        return Horizon(hours)
    oldest = min(live, key=lambda need: need.since)
    # Whole hours, and one more because VACUUM reads its own clock a moment later.
    needed = math.ceil((at - oldest.since) / _HOUR) + 1
    first = min(live, key=lambda need: need.first_unconsumed_at)
    held = at - first.first_unconsumed_at > retention
    return Horizon(max(hours, needed), first if held else None)


def _waits(need: Need, at: datetime, limit: timedelta) -> bool:
    until = stale_after(need.first_unconsumed_at, limit)
    return until is not None and at <= until
