"""Upkeep with Spark: files are written together and removed, rows go, refreshes do not mind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.lake.commits import apply
from headwater.run_lake import LakeRun
from headwater.runtime.clock import now
from headwater.tables import vacuum
from headwater.upkeep import lookout

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[headwater.Connection]:
    """Three small files are many, and old versions are not kept."""
    settings = {"upkeep_small_files": 3, "data_retention_days": 0, "upkeep_vacuum_hours": 1}
    with headwater.connect(tmp_path / "lake", **settings) as connection:
        yield connection


def upkeep(lake: headwater.Connection) -> list[str]:
    """Do what is due, as a new process would; the statements that were run, oldest first."""
    known = {row[0] for row in tagged(lake)}
    work = LakeRun(lake.session.lake)
    try:
        work.run_until_idle(upkeep=True)
    finally:
        work.close()
    new = [row for row in tagged(lake) if row[0] not in known]
    assert all(row[1] == "SUCCEED" for row in new), new
    return [str(row[2]).replace("`", "").replace("headwater.public.", "") for row in new]


def tagged(lake: headwater.Connection) -> list[tuple[Any, ...]]:
    wanted = "job_id, status, job_text FROM (SHOW JOBS) WHERE query_tag = 'upkeep'"
    return lake.sql(f"SELECT {wanted} ORDER BY start_time").rows


def location(lake: headwater.Connection, name: str) -> Path:
    table = lake.session.lake.store.tables.get("headwater", "public", name)
    assert table is not None
    return Path(lake.session.lake.location(table))


def operations(lake: headwater.Connection, name: str) -> list[str]:
    history = lake.sql(f"DESC HISTORY {name}")
    return [row[history.columns.index("operation")] for row in history.rows]


def test_small_files_are_joined_and_removed_when_no_reader_needs_them(
    lake: headwater.Connection,
) -> None:
    lake.sql("CREATE TABLE t (id INT)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t")
    for id in range(3):
        lake.sql(f"INSERT INTO t VALUES ({id})")
    lake.sql("REFRESH DYNAMIC TABLE d")
    assert [text for text in upkeep(lake) if text.endswith(" t")] == ["OPTIMIZE t"]
    assert operations(lake, "t")[0] == "COMPACTION"
    files = location(lake, "t")
    assert len(list(files.glob("*.parquet"))) == 4, "d has not read what was compacted"
    assert lake.sql("SELECT id FROM t ORDER BY id").rows == [(0,), (1,), (2,)]
    lake.sql("REFRESH DYNAMIC TABLE d")
    assert [text for text in upkeep(lake) if text.endswith(" t")] == ["VACUUM t"]
    assert len(list(files.glob("*.parquet"))) == 1
    assert upkeep(lake) == []
    modes = lake.sql("SELECT refresh_mode FROM (SHOW DYNAMIC TABLE REFRESH HISTORY)").rows
    assert modes[0] == ("NO_DATA",)
    assert lake.sql("VERIFY DYNAMIC TABLE d").rows[0][1]


def test_rows_that_have_outlived_go(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = "PROPERTIES ('data_lifecycle' = '7')"
    lake.sql(f"CREATE TABLE plain (id INT) {life}")
    lake.sql(f"CREATE TABLE parted (id INT, p DATE) PARTITIONED BY (p) {life}")
    for table, row in (("plain", "1"), ("parted", "1, DATE '2026-01-01'")):
        lake.sql(f"INSERT INTO {table} VALUES ({row})")
    monkeypatch.setattr(lookout, "now", lambda: now() + timedelta(days=8))
    ran = [text for text in upkeep(lake) if not text.startswith("VACUUM")]
    assert sorted(ran) == [
        "DELETE FROM parted WHERE (p = CAST('2026-01-01' AS date))",
        "TRUNCATE TABLE plain",
    ]
    both = lake.sql("SELECT (SELECT count(*) FROM plain), (SELECT count(*) FROM parted)")
    assert both.rows == [(0, 0)]


def test_a_session_may_have_its_writes_compacted(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t (id INT)")
    lake.sql("SET cz.sql.compaction.after.commit = true")
    assert lake.sql("INSERT INTO t VALUES (1)").message == "1 row inserted into public.t"
    assert lake.sql("INSERT INTO t VALUES (2)").message == "1 row inserted into public.t"
    assert operations(lake, "t") == ["COMPACTION", "INSERT_INTO", "INSERT_INTO", "CREATE"]
    assert lake.sql("SELECT id FROM t ORDER BY id").rows == [(1,), (2,)]


@pytest.mark.parametrize(
    ("query", "foreign"),
    [
        ("SELECT id, k FROM t", "OPTIMIZE delta.`{table}`"),
        # Its groups are kept in a state, which is written before the table.
        (
            "SELECT max(c) AS most FROM (SELECT k, count(*) AS c FROM t GROUP BY k)",
            "ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('user.x' = 'y')",
        ),
    ],
    ids=["optimize", "state"],
)
def test_a_refresh_that_is_overtaken_before_its_commit_is_done_again(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch, query: str, foreign: str
) -> None:
    lake.sql("SET cz.optimizer.incremental.enable.state.table = true")
    lake.sql("CREATE TABLE t (id INT, k INT)")
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}")
    for id in range(2):
        lake.sql(f"INSERT INTO t VALUES ({id}, 1)")
        lake.sql("REFRESH DYNAMIC TABLE d")
    text = foreign.format(table=location(lake, "d"))
    overtaken: list[datetime] = []
    committed: Callable[..., Any] = apply._committed

    def late(target: Any, *about: Any) -> Any:
        if not overtaken and "_state" not in target.location:
            overtaken.append(now())
            # On a thread of its own: Delta takes its settings from the session of the thread.
            other = threading.Thread(target=lake.session.lake.new_spark().execute, args=(text,))
            other.start()
            other.join()
        return committed(target, *about)

    monkeypatch.setattr(apply, "_committed", late)
    for id in (2, 3):
        lake.sql(f"INSERT INTO t VALUES ({id}, 1)")
        lake.sql("REFRESH DYNAMIC TABLE d")
        assert lake.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
    assert overtaken
    history = lake.sql("SELECT state, refresh_mode FROM (SHOW DYNAMIC TABLE REFRESH HISTORY)").rows
    assert history[:2] == [("SUCCEED", "INCREMENTAL")] * 2


def test_states_are_vacuumed_with_their_table_unless_a_refresh_may_take_them_back(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vacuum, "STATE_HOURS", 0)
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t VALUES (1, 10), (2, 20)")
    lake.sql("SET cz.optimizer.incremental.enable.state.table = true")
    # The table shows no sums, so that they are kept beside it.
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT k FROM t GROUP BY k HAVING sum(v) > 15")
    lake.sql("REFRESH DYNAMIC TABLE d")
    for v in (5, 6):
        lake.sql(f"INSERT INTO t VALUES (1, {v}); REFRESH DYNAMIC TABLE d")
    states = list((location(lake, "d") / "_state").iterdir())
    assert len(states) == 1
    files = sorted(states[0].glob("*.parquet"))
    spark = lake.session.state.spark()
    # As a refresh leaves it that dies before its commit.
    spark.execute(f"ALTER TABLE delta.`{states[0]}` SET TBLPROPERTIES ('user.a' = 'b')")
    lake.sql("VACUUM d")
    assert sorted(states[0].glob("*.parquet")) == files
    lake.sql("INSERT INTO t VALUES (2, 1); REFRESH DYNAMIC TABLE d")
    assert "0 files removed" not in lake.sql("VACUUM d").message
    assert len(list(states[0].glob("*.parquet"))) < len(files)
    lake.sql("INSERT INTO t VALUES (1, 1); REFRESH DYNAMIC TABLE d")
    modes = lake.sql("SELECT refresh_mode FROM (SHOW DYNAMIC TABLE REFRESH HISTORY)").rows
    assert modes[0] == ("INCREMENTAL",)
    assert lake.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
