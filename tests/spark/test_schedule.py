"""Scheduled refreshes on Spark: a diamond, `run_until_idle`, and a clock that moves."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

import headwater
from headwater.runtime import clock

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

DIAMOND = """
CREATE TABLE s (k INT, v INT);
INSERT INTO s VALUES (1, 1), (2, 2);
CREATE DYNAMIC TABLE a REFRESH INTERVAL 1 MINUTE AS SELECT k, sum(v) AS total FROM s GROUP BY k;
CREATE DYNAMIC TABLE b REFRESH INTERVAL 1 HOUR AS SELECT k, v FROM s WHERE v > 1;
CREATE DYNAMIC TABLE d REFRESH INTERVAL 1 MINUTE
AS SELECT a.k, total, v FROM a LEFT JOIN b ON a.k = b.k;
CREATE DYNAMIC TABLE by_hand AS SELECT count(*) AS n FROM d
"""

Move = Callable[[timedelta], None]


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Move:
    """Lets time pass."""
    passed = [timedelta()]

    def wall(zone: Any) -> datetime:
        return datetime.now(zone) + passed[0]

    def go(by: timedelta) -> None:
        passed[0] += by

    monkeypatch.setattr(clock, "datetime", types.SimpleNamespace(now=wall))
    return go


def history(lake: headwater.Connection, name: str) -> list[tuple[Any, ...]]:
    """Trigger, state and kind of the refreshes of a table, the oldest first."""
    shown = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY {name}")
    places = [shown.columns.index(c) for c in ("refresh_trigger", "state", "refresh_mode")]
    return [tuple(row[place] for place in places) for row in reversed(shown.rows)]


def verified(lake: headwater.Connection, *names: str) -> bool:
    return all(lake.sql(f"VERIFY DYNAMIC TABLE {name}").rows[0][1] for name in names)


def test_a_diamond_is_kept_by_its_schedule(lake: headwater.Connection, move: Move) -> None:
    lake.sql(DIAMOND)
    lake.run_until_idle()
    assert sorted(lake.sql("SELECT * FROM d").rows) == [(1, 1, None), (2, 2, 2)]
    # Nothing is due: the interval is not over.
    lake.sql("INSERT INTO s VALUES (1, 10)")
    lake.run_until_idle()
    assert len(history(lake, "d")) == 1
    move(timedelta(minutes=2))
    lake.run_until_idle()
    # `b` was not due; without it `d` would have shown the new total beside old rows.
    assert sorted(lake.sql("SELECT * FROM d").rows) == [(1, 11, 10), (2, 2, 2)]
    scheduled = ("LH_SCHEDULED", "SUCCEED")
    assert history(lake, "d") == [(*scheduled, "FULL"), (*scheduled, "INCREMENTAL")]
    assert [row[:2] for row in history(lake, "b")] == [scheduled, scheduled]
    move(timedelta(minutes=2))
    lake.run_until_idle()
    assert history(lake, "a")[2] == (*scheduled, "NO_DATA")
    assert history(lake, "by_hand") == []
    assert verified(lake, "a", "b", "d")
