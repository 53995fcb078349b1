"""How far behind dynamic tables are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from headwater.studio.lags import lag_over_day, lag_seconds, lag_share, troubles

_NOW = datetime(2026, 11, 16, 12)


def _row(**more: Any) -> dict[str, Any]:
    return {
        "fresh_time": _NOW - timedelta(minutes=5),
        "target_lag_second": 600,
        "last_refresh_state": "SUCCEED",
        "suspended_reason": None,
        "state": "ACTIVE",
        "schedule": "TARGET_LAG = '10 MINUTE'",
        **more,
    }


def _refresh(begin: timedelta, took: timedelta, state: str = "SUCCEED") -> dict[str, Any]:
    start = _NOW - begin
    return {"start_time": start, "end_time": start + took, "state": state}


def test_a_lag_is_a_share_of_what_is_allowed() -> None:
    row = _row()
    assert lag_seconds(row, _NOW) == 300
    assert lag_share(row, 300) == 0.5
    assert lag_share(_row(target_lag_second=None), 300) is None


def test_before_the_first_refresh_there_is_no_lag() -> None:
    assert lag_seconds(_row(fresh_time=None), _NOW) is None
    assert lag_share(_row(), None) is None


def test_what_is_wrong_is_said_in_words() -> None:
    assert troubles(_row(), 300) == []
    assert troubles(_row(), 601) == ["its rows are older than they may be"]
    assert troubles(_row(schedule="REFRESH INTERVAL 10 MINUTE"), 601) == []
    assert troubles(_row(schedule="REFRESH INTERVAL 10 MINUTE"), 1201) != []
    assert troubles(_row(last_refresh_state="FAILED"), 1) == ["its last refresh failed"]
    # one that was suspended by hand is not late, too
    assert troubles(_row(state="SUSPENDED"), 9_999) == ["it is suspended"]
    assert troubles(_row(state="SUSPENDED", suspended_reason="5 failures"), 1) == ["5 failures"]


def test_rows_age_from_the_start_of_the_refresh_that_gave_them() -> None:
    minute = timedelta(minutes=1)
    found = lag_over_day([_refresh(10 * minute, 2 * minute)], _NOW)
    assert found is not None
    # two minutes old when it ended, ten now
    assert (found.mean, found.most) == (6 * minute, 10 * minute)


def test_the_greatest_lag_is_that_just_before_a_refresh_ends() -> None:
    hour = timedelta(hours=1)
    history = [_refresh(4 * hour, hour / 60), _refresh(hour, hour / 60)]
    found = lag_over_day(history, _NOW)
    assert found is not None
    assert found.most == 3 * hour + hour / 60


def test_failures_make_nothing_fresh_and_old_refreshes_count_from_a_day_ago() -> None:
    hour = timedelta(hours=1)
    found = lag_over_day([_refresh(30 * hour, hour), _refresh(hour, hour / 2, "FAILED")], _NOW)
    assert found is not None
    assert (found.mean, found.most) == (18 * hour, 30 * hour)
    assert lag_over_day([_refresh(hour, hour / 2, "FAILED")], _NOW) is None
