"""How far behind a dynamic table is, now and over a day, and whether it is well. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Row = Mapping[str, Any]
_DAY = timedelta(days=1)
_BAD_STATES = frozenset({"FAILED"})


@dataclass(frozen=True, slots=True)
class LagOverTime:
    """The mean and the greatest lag of a span of time."""

    mean: timedelta
    most: timedelta


def lag_seconds(row: Row, now: datetime) -> int | None:
    """How old the rows of a table of SHOW DYNAMIC TABLES are; None before its first refresh."""
    fresh = row["fresh_time"]
    return None if fresh is None else max(int((now - fresh).total_seconds()), 0)


def lag_share(row: Row, lag: int | None) -> float | None:
    """The lag as a share of what is allowed; None when nothing is promised."""
    target = row["target_lag_second"]
    if lag is None or not target:
        return None
    return round(lag / target, 2)


def troubles(row: Row, lag: int | None) -> list[str]:
    """What is wrong with a dynamic table, in words; nothing for one that is well."""
    found = []
    if row["last_refresh_state"] in _BAD_STATES:
        found.append("its last refresh failed")
    if row["suspended_reason"]:
        found.append(str(row["suspended_reason"]))
    elif row["state"] == "SUSPENDED":
        found.append("it is suspended")
    if _is_late(row, lag) and row["state"] != "SUSPENDED":
        found.append("its rows are older than they may be")
    return found


def _is_late(row: Row, lag: int | None) -> bool:
    target = row["target_lag_second"]
    if lag is None or not target:
        return False
    # An interval says when a refresh begins: until it has ended, the rows are somewhat older.
    promised = str(row["schedule"]).startswith("TARGET_LAG")
    return bool(lag > (target if promised else 2 * target))


def lag_over_day(history: Iterable[Row], now: datetime) -> LagOverTime | None:
    """The mean and greatest lag of the last day, by SHOW DYNAMIC TABLE REFRESH HISTORY.

    Rows are as old as the start of the refresh that gave them; between two refreshes they age.
    None if no refresh succeeded.
    """
    done = sorted(
        (row["start_time"], row["end_time"])
        for row in history
        if row["state"] == "SUCCEED" and row["end_time"] is not None
    )
    begin = now - _DAY
    area, span, most = 0.0, 0.0, timedelta()
    for place, (start, end) in enumerate(done):
        until = done[place + 1][1] if place + 1 < len(done) else now
        since = max(end, begin)
        if until <= since:
            continue
        seconds = (until - since).total_seconds()
        middle = ((since - start) + (until - start)) / 2
        area += middle.total_seconds() * seconds
        span += seconds
        most = max(most, until - start)
    return LagOverTime(timedelta(seconds=area / span), most) if span else None
