"""SIGKILL anywhere in a refresh: the old contents or the new, and the next refresh goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(300)]

PREPARE = """
SET cz.optimizer.incremental.enable.state.table = true;
CREATE TABLE src (k INT, v INT);
INSERT INTO src VALUES (1, 1), (2, 2);
CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL
AS SELECT k, sum(v) AS s FROM src GROUP BY k HAVING sum(v) > 0;
REFRESH DYNAMIC TABLE d;
INSERT INTO src VALUES (1, 10), (3, 3)
"""
OLD, NEW = [(1, 1), (2, 2)], [(1, 11), (2, 2), (3, 3)]
BEFORE = ("refresh.started", "refresh.states", "commit.before")
AFTER = ("commit.after_delta",)


@pytest.mark.parametrize("place", [*BEFORE, *AFTER])
def test_a_killed_refresh_did_everything_or_nothing(
    tmp_path: Path, crasher: Crasher, place: str
) -> None:
    crasher.crash(tmp_path, PREPARE, "REFRESH DYNAMIC TABLE d", at=place)
    with headwater.connect(tmp_path) as connection:
        rows = sorted(connection.sql("SELECT * FROM d").rows)
        assert rows == (NEW if place in AFTER else OLD)
        last = connection.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d LIMIT 1")
        assert last.rows[0][last.columns.index("state")] == (
            "SUCCEED" if place in AFTER else "FAILED"
        )
        connection.sql("REFRESH DYNAMIC TABLE d")
        assert sorted(connection.sql("SELECT * FROM d").rows) == NEW
        assert connection.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
        connection.sql("DELETE FROM src WHERE k = 1")
        connection.sql("REFRESH DYNAMIC TABLE d")
        assert connection.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
        assert sorted(connection.sql("SELECT * FROM d").rows) == NEW[1:]
