"""SIGKILL while a new query changes the columns: the next refresh brings columns and rows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(300)]

PREPARE = """
CREATE TABLE src (k INT, v INT);
INSERT INTO src VALUES (1, 1), (2, 2);
CREATE DYNAMIC TABLE d AS SELECT k, v FROM src;
REFRESH DYNAMIC TABLE d
"""
REPLACE = (
    "CREATE OR REPLACE DYNAMIC TABLE d AS SELECT k + 1 AS next, CAST(k AS BIGINT) AS k FROM src"
)


def test_a_query_that_was_half_replaced_is_replaced_by_the_next_refresh(
    tmp_path: Path, crasher: Crasher
) -> None:
    """At this place the new columns are there, the old one is too, and nothing was recorded."""
    crasher.crash(tmp_path, PREPARE, REPLACE, at="commit.prepared")
    with headwater.connect(tmp_path) as connection:
        assert {row[-1] for row in connection.sql("SELECT v FROM d").rows} == {1, 2}
        done = connection.sql("REFRESH DYNAMIC TABLE d").message
        assert done is not None
        assert "FULL" in done
        found = connection.sql("SELECT * FROM d")
        assert tuple(found.columns) == ("next", "k")
        assert sorted(found.rows) == [(2, 1), (3, 2)]
        assert connection.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
