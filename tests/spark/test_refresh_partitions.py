"""Partitions that are refreshed by themselves: at once, at different levels, on tracked rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

# With row ids a table is never rewritten as a whole: a change takes the way of large tables.
PREPARE = """
CREATE TABLE t (p STRING, q INT, v INT);
INSERT INTO t VALUES ('a', 1, 1), ('a', 1, 2), ('a', 2, 3), ('b', 1, 4);
CREATE DYNAMIC TABLE d PARTITIONED BY (p, q) REFRESH_MODE = INCREMENTAL
PROPERTIES ('change_tracking' = 'true')
AS SELECT p, q, v FROM t WHERE p = SESSION_CONFIGS()['dt.args.p']
AND q >= CAST(SESSION_CONFIGS()['dt.args.least'] AS INT)
"""


def refresh(connection: headwater.Connection, part: str, p: str, least: int = 0) -> str:
    """Refresh a partition, and say of which kind that was."""
    connection.sql(f"SET dt.args.p = '{p}'; SET dt.args.least = {least}")
    message = connection.sql(f"REFRESH DYNAMIC TABLE d PARTITION ({part})").message
    return message.partition("refreshed: ")[2].partition(",")[0]


def verified(connection: headwater.Connection) -> tuple[object, ...]:
    """Whether all partitions are right, and how many rows were compared."""
    return connection.sql("VERIFY DYNAMIC TABLE d").rows[0][1:3]


def test_partitions_are_refreshed_at_once_and_at_different_levels(lake_path: Path) -> None:
    with headwater.connect(lake_path) as one, headwater.connect(lake_path) as two:
        one.sql(PREPARE)
        with ThreadPoolExecutor(2) as pool:
            kinds = [
                pool.submit(refresh, one, "p = 'a'", "a"),
                pool.submit(refresh, two, "p = 'b'", "b"),
            ]
            assert [kind.result() for kind in kinds] == ["FULL", "FULL"]
        assert verified(one) == (True, 4)

        one.sql("DELETE FROM t WHERE v = 1; UPDATE t SET v = 40 WHERE p = 'b'")
        assert refresh(one, "p = 'a'", "a") == "INCREMENTAL"
        assert verified(one) == (True, 3)
        assert refresh(two, "p = 'b'", "b") == "INCREMENTAL"
        rows = sorted(one.sql("SELECT p, v FROM d").rows)
        assert rows == [("a", 2), ("a", 3), ("b", 40)]

        # One level further down the partition has a frontier and parameters of its own.
        one.sql("INSERT INTO t VALUES ('a', 2, 5)")
        assert refresh(one, "p = 'a', q = 2", "a", least=2) == "FULL"
        assert verified(one) == (True, 4)
        assert refresh(one, "p = 'a', q = 2", "a", least=2) == "NO_DATA"
        assert refresh(one, "p = 'a'", "a") == "FULL"
        assert verified(one) == (True, 4)
        assert refresh(one, "p = 'a'", "a") == "NO_DATA"
