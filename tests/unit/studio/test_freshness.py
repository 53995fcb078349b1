"""What is late, the worst first."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from headwater.studio.freshness import (
    Freshness,
    Health,
    of_dynamic_table,
    of_pipe,
    of_stream,
    of_task,
    worst_first,
)

_NOW = datetime(2026, 11, 16, 12)
_HOUR_AGO = _NOW - timedelta(hours=1)


def _table(**more: Any) -> Freshness:
    row = {
        "schema_name": "s",
        "name": "d",
        "state": "ACTIVE",
        "schedule": "TARGET_LAG = '10 MINUTE'",
        "suspended_reason": None,
        "last_refresh_state": "SUCCEED",
        "fresh_time": _NOW - timedelta(minutes=5),
        "target_lag_second": 600,
    }
    return of_dynamic_table({**row, **more}, _NOW)


def test_what_failed_comes_before_what_is_late_before_what_is_well() -> None:
    failed = _table(name="failed", last_refresh_state="FAILED")
    late = _table(name="late", fresh_time=_NOW - timedelta(minutes=20))
    later = _table(name="later", fresh_time=_NOW - timedelta(minutes=30))
    stopped = _table(name="stopped", state="SUSPENDED")
    found = worst_first([_table(), stopped, late, failed, later])
    assert [one.name for one in found] == ["s.failed", "s.later", "s.late", "s.stopped", "s.d"]
    assert [one.health.state for one in found] == ["FAILED", "LATE", "LATE", "PAUSED", "FRESH"]


def _pipe(**more: Any) -> Freshness:
    row = {
        "schema_name": "s",
        "pipe_name": "p",
        "status": "RUNNING",
        "invalid_reason": None,
        "consecutive_failures": 0,
        "pending_files": 0,
        "oldest_pending_time": None,
    }
    return of_pipe({**row, **more}, _NOW)


def test_a_pipe_is_behind_by_the_oldest_file_that_waits() -> None:
    found = _pipe(oldest_pending_time=_HOUR_AGO, pending_files=3)
    assert (found.lag, found.health, found.said) == (3600, Health.WELL, "3 files wait")


@pytest.mark.parametrize(
    ("more", "health"),
    [
        ({"status": "PAUSED"}, Health.STOPPED),
        ({"status": "INVALID", "invalid_reason": "its table is gone"}, Health.BAD),
        ({"consecutive_failures": 2}, Health.BAD),
        ({}, Health.WELL),
    ],
)
def test_the_health_of_a_pipe(more: dict[str, Any], health: Health) -> None:
    assert _pipe(**more).health is health


@pytest.mark.parametrize(
    ("more", "health", "lag"),
    [
        ({"stale": True}, Health.BAD, 3600),
        ({"warning": "soon"}, Health.LATE, 3600),
        ({}, Health.WELL, 3600),
        ({"has_data": False}, Health.WELL, None),
        ({"has_data": None, "current_offset_time": None}, Health.WELL, None),
    ],
)
def test_the_health_of_a_stream(more: dict[str, Any], health: Health, lag: int | None) -> None:
    row = {
        "schema_name": "s",
        "name": "x",
        "current_offset_time": _HOUR_AGO,
        "stale": False,
        "has_data": True,
        "warning": None,
    }
    found = of_stream({**row, **more}, _NOW)
    assert (found.health, found.lag) == (health, lag)


@pytest.mark.parametrize(
    ("more", "health"),
    [
        ({"last_state": "FAILED"}, Health.BAD),
        ({"state": "PAUSED"}, Health.STOPPED),
        ({"next_plan_time": _NOW - timedelta(minutes=1)}, Health.LATE),
        ({}, Health.WELL),
    ],
)
def test_the_health_of_a_task(more: dict[str, Any], health: Health) -> None:
    row = {
        "folder": "etl",
        "name": "daily",
        "state": "ONLINE",
        "last_state": "SUCCEEDED",
        "last_plan_time": _NOW - timedelta(hours=2),
        "next_plan_time": _NOW + timedelta(hours=2),
    }
    found = of_task({**row, **more}, _NOW)
    assert (found.health, found.lag, found.name) == (health, 7200, "etl.daily")
