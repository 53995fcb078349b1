"""The layout of a Gantt chart: which bars stand where, in parts of a hundred. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_NARROWEST = 0.6
_SHORTEST = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Bar:
    """One run; `left` and `width` are parts of a hundred of the chart."""

    left: float
    width: float
    state: str
    title: str
    key: str


@dataclass(frozen=True, slots=True)
class Gantt:
    """Lanes by name, each with its bars in the order of time, and what the chart spans."""

    since: datetime
    until: datetime
    lanes: tuple[tuple[str, tuple[Bar, ...]], ...]


def gantt(
    instances: Iterable[Mapping[str, Any]], now: datetime, lane: str = "task_name"
) -> Gantt | None:
    """The runs that have begun; None when none has. One that runs ends now."""
    begun = [one for one in instances if one["start_time"] is not None]
    if not begun:
        return None
    since = min(one["start_time"] for one in begun)
    until = max(max(one["end_time"] or now for one in begun), since + _SHORTEST)
    whole = (until - since).total_seconds()
    lanes: dict[str, list[Bar]] = {}
    for one in sorted(begun, key=lambda one: one["start_time"]):
        start, end = one["start_time"], one["end_time"] or now
        left = 100 * (start - since).total_seconds() / whole
        width = max(100 * (end - start).total_seconds() / whole, _NARROWEST)
        title = f"{one['task_name']}, plan {one['plan_time']:%Y-%m-%d %H:%M}: {one['state']}"
        bar = Bar(min(left, 100 - _NARROWEST), width, one["state"], title, one["instance_id"])
        lanes.setdefault(str(one[lane]), []).append(bar)
    return Gantt(since, until, tuple((name, tuple(bars)) for name, bars in sorted(lanes.items())))
