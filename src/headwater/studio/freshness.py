"""How fresh everything is, the worst first: dynamic tables, pipes, streams and tasks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

from headwater.studio.lags import lag_seconds, troubles
from headwater.studio.listing import studio_path

Row = Mapping[str, Any]
_TASK_FAILED = frozenset({"FAILED", "TIMEOUT", "KILLED"})


class Health(IntEnum):
    """How well something is; what is worse is less."""

    BAD = 0
    LATE = 1
    STOPPED = 2
    WELL = 3

    @property
    def state(self) -> str:
        """The word for it, which has a colour."""
        return {0: "FAILED", 1: "LATE", 2: "PAUSED", 3: "FRESH"}[self.value]


@dataclass(frozen=True, slots=True)
class Freshness:
    """One thing that is to be fresh."""

    kind: str
    name: str
    path: str
    health: Health
    lag: int | None = None
    allowed: int | None = None
    said: str = ""

    @property
    def share(self) -> float | None:
        """The lag as a share of what is allowed."""
        if self.lag is None or not self.allowed:
            return None
        return round(self.lag / self.allowed, 2)


def worst_first(found: Iterable[Freshness]) -> list[Freshness]:
    """What is bad before what is late before what is well; then the longest behind."""
    return sorted(
        found,
        key=lambda one: (one.health, -(one.share or 0.0), -(one.lag or 0), one.kind, one.name),
    )


def of_dynamic_table(row: Row, now: datetime) -> Freshness:
    """A row of SHOW DYNAMIC TABLES."""
    lag = lag_seconds(row, now)
    wrong = troubles(row, lag)
    if row["last_refresh_state"] == "FAILED" or row["suspended_reason"]:
        health = Health.BAD
    elif row["state"] == "SUSPENDED":
        health = Health.STOPPED
    else:
        health = Health.LATE if wrong else Health.WELL
    path = studio_path("dynamic-tables", row["schema_name"], row["name"])
    name = f"{row['schema_name']}.{row['name']}"
    said = "; ".join(wrong)
    return Freshness("dynamic table", name, path, health, lag, row["target_lag_second"], said)


def of_pipe(row: Row, now: datetime) -> Freshness:
    """A row of SHOW PIPES EXTENDED."""
    schema, name, status = row["schema_name"], row["pipe_name"], row["status"]
    oldest, failures = row["oldest_pending_time"], row["consecutive_failures"]
    lag = None if oldest is None else max(int((now - oldest).total_seconds()), 0)
    said = [row["invalid_reason"]] if row["invalid_reason"] else []
    if failures:
        said.append(f"{failures} failures in a row")
    if lag is not None:
        said.append(f"{row['pending_files']} files wait")
    health = Health.STOPPED if status == "PAUSED" else Health.WELL
    if status == "INVALID" or failures:
        health = Health.BAD
    path = studio_path("pipes", schema, name)
    return Freshness("pipe", f"{schema}.{name}", path, health, lag, None, "; ".join(said))


def of_stream(row: Row, now: datetime) -> Freshness:
    """A row of SHOW TABLE STREAMS EXTENDED."""
    schema, name, reached = row["schema_name"], row["name"], row["current_offset_time"]
    waits = row["has_data"] and reached is not None
    lag = int((now - reached).total_seconds()) if waits else None
    path = studio_path("streams", schema, name)
    full = f"{schema}.{name}"
    if row["stale"]:
        return Freshness("stream", full, path, Health.BAD, lag, None, "it is stale")
    health = Health.LATE if row["warning"] else Health.WELL
    return Freshness("stream", full, path, health, lag, None, row["warning"] or "")


def of_task(row: Row, now: datetime) -> Freshness:
    """A row of SHOW TASKS."""
    name = f"{row['folder']}.{row['name']}" if row["folder"] else str(row["name"])
    last, due = row["last_plan_time"], row["next_plan_time"]
    lag = None if last is None else max(int((now - last).total_seconds()), 0)
    health, said = Health.WELL, ""
    if row["last_state"] in _TASK_FAILED:
        health, said = Health.BAD, f"its last run ended as {row['last_state']}"
    elif row["state"] != "ONLINE":
        health = Health.STOPPED
    elif due is not None and due < now:
        health, said = Health.LATE, "it is due, and has not begun"
    path = studio_path("tasks", *([row["folder"]] if row["folder"] else []), row["name"])
    return Freshness("task", name, path, health, lag, None, said)
