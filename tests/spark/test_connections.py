"""Several connections to one lake, and several lakes in one process."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import headwater

pytestmark = pytest.mark.spark

# Runs for minutes unless it is cancelled; every task is short, so that cancelling is quick.
SLOW = "SELECT count(*) FROM range(0, 400000000000, 1, 4000) WHERE id % 7 = sqrt(id)"


def sql_listeners(spark: Any) -> int:
    """How many listeners take notes of every query, each for the catalog of one lake."""
    loader = spark._jsparkSession.getClass().getClassLoader()
    kind = loader.loadClass("org.apache.spark.sql.execution.ui.SQLAppStatusListener")
    bus = spark.sparkContext._jsc.sc().listenerBus()
    return int(bus.findListenersByClass(spark._jvm.scala.reflect.ClassTag.apply(kind)).size())


def test_settings_and_temporary_views_are_private(lake_path: Path) -> None:
    with headwater.connect(lake_path) as one, headwater.connect(lake_path) as two:
        one.sql("CREATE TEMP VIEW mine AS SELECT 1 AS x")
        one.sql("SET spark.sql.session.timeZone = 'Asia/Tokyo'")
        assert one.sql("SELECT * FROM mine").rows == [(1,)]
        with pytest.raises(headwater.ProgrammingError, match="mine"):
            two.sql("SELECT * FROM mine")
        shown = "SELECT current_timezone()"
        assert one.sql(shown).rows == [("Asia/Tokyo",)]
        assert two.sql(shown).rows != [("Asia/Tokyo",)]


def test_a_table_made_by_one_connection_is_there_for_the_other(lake_path: Path) -> None:
    with headwater.connect(lake_path) as one, headwater.connect(lake_path) as two:
        one.sql("CREATE TABLE t AS SELECT 1 AS x")
        assert two.sql("SELECT * FROM t").rows == [(1,)]
        two.sql("DROP TABLE t")
        with pytest.raises(headwater.ProgrammingError):
            one.sql("SELECT * FROM t")
        one.sql("CREATE TABLE t AS SELECT 2 AS x")
        assert two.sql("SELECT * FROM t").rows == [(2,)]


def test_lakes_in_one_process_do_not_see_each_other(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "a") as a, headwater.connect(tmp_path / "b") as b:
        a.sql("CREATE TABLE t AS SELECT 'a' AS lake")
        b.sql("CREATE TABLE t AS SELECT 'b' AS lake")
        assert a.sql("SELECT * FROM t").rows == [("a",)]
        assert b.sql("SELECT * FROM t").rows == [("b",)]


def test_a_closed_lake_leaves_no_listener_in_spark(tmp_path: Path, spark: Any) -> None:
    before = sql_listeners(spark)
    for name in ("a", "b"):
        with headwater.connect(tmp_path / name) as lake:
            assert lake.sql("SELECT 1").rows == [(1,)]
            assert sql_listeners(spark) == before + 1
    assert sql_listeners(spark) == before


def test_a_lake_can_be_moved(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "before") as connection:
        connection.sql("CREATE TABLE t AS SELECT 7 AS x")
    (tmp_path / "before").rename(tmp_path / "after")
    with headwater.connect(tmp_path / "after") as connection:
        assert connection.sql("SELECT * FROM t").rows == [(7,)]


def test_ddl_on_one_table_does_not_block_reads_of_another(lake_path: Path) -> None:
    with headwater.connect(lake_path) as writer, headwater.connect(lake_path) as reader:
        writer.sql("CREATE TABLE busy AS SELECT 1 AS x; CREATE TABLE free AS SELECT 2 AS x")
        lake = writer.session.lake
        table = lake.store.tables.get("headwater", "public", "busy")
        assert table is not None
        held, release = Event(), Event()

        def hold() -> None:
            with lake.locks.hold(table.id):
                held.set()
                release.wait(60)

        holder = Thread(target=hold)
        holder.start()
        held.wait()
        ddl = Thread(target=writer.sql, args=("ALTER TABLE busy SET COMMENT 'x'",))
        ddl.start()
        assert reader.sql("SELECT * FROM free").rows == [(2,)]
        assert reader.sql("SELECT * FROM busy").rows == [(1,)]
        assert ddl.is_alive()
        release.set()
        holder.join()
        ddl.join()


def test_a_running_job_is_cancelled_by_its_id(lake_path: Path) -> None:
    with headwater.connect(lake_path) as one, headwater.connect(lake_path) as two:
        one.sql("SELECT 1")
        failures: list[headwater.Error] = []

        def run() -> None:
            try:
                one.sql(SLOW)
            except headwater.Error as error:
                failures.append(error)

        thread = Thread(target=run)
        thread.start()
        job_id = _running(two)
        two.sql(f"CANCEL JOB '{job_id}'")
        thread.join(timeout=60)
        assert [getattr(error, "condition", "") for error in failures] == ["JOB_CANCELLED"]
        status = two.sql(f"SHOW JOBS WHERE job_id = '{job_id}'").to_dicts()[0]["status"]
        assert status == "CANCELLED"
        assert one.sql("SELECT 1").rows == [(1,)]


def _running(connection: headwater.Connection) -> str:
    """The id of the slow job once Spark works on it."""
    for _ in range(600):
        jobs = connection.sql("SHOW JOBS WHERE status = 'RUNNING' AND job_text LIKE '%sqrt%'").rows
        jobs = [job for job in jobs if not job[8].startswith("SHOW")]
        if jobs and connection.session.lake.engine.progress(jobs[0][0])[1] > 0:
            return str(jobs[0][0])
        time.sleep(0.1)
    raise AssertionError("the job did not start")


def test_commits_of_other_tools_become_versions(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
    table = lake.session.lake.store.tables.get("headwater", "public", "t")
    assert table is not None
    foreign = lake.session.lake.engine.new_session()
    path = lake.session.lake.location(table)
    foreign.createDataFrame([(2,)], "id INT").write.format("delta").mode("append").save(path)
    history = lake.sql("DESC HISTORY t").to_dicts()
    assert [(h["version"], h["operation"], h["total_rows"], h["job_id"]) for h in history][:1] == [
        (3, "INSERT_INTO", 2, None)
    ]
    lake.sql("INSERT INTO t VALUES (3)")
    assert lake.sql("SELECT version FROM (DESC HISTORY t) LIMIT 1").rows == [(4,)]
    assert lake.sql("SELECT count(*) FROM t VERSION AS OF 3").rows == [(2,)]


def test_a_job_says_what_it_read_and_wrote(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t AS SELECT id FROM range(1000)")
    result = lake.sql("SELECT sum(id) FROM t")
    job = dict(lake.sql(f"DESC JOB '{result.job_id}'").rows)
    assert job["input_rows"] == "1000"
    assert job["rows_produced"] == "1"
    written = lake.sql("DELETE FROM t WHERE id < 10")
    job = dict(lake.sql(f"DESC JOB '{written.job_id}'").rows)
    assert job["rows_deleted"] == "10"
    # Deleting marks rows in the files that are there; none is written anew.
    assert job["output_tables"] == "headwater.public.t (10 rows, 0 bytes)"
    assert "public.t (1000 rows" in str(
        dict(lake.sql(f"DESC JOB '{result.job_id}'").rows)["input_tables"]
    )


def test_the_first_statement_of_a_lake_can_be_measured_too(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t AS SELECT id FROM range(10)")
    path = lake.session.lake.folder.path
    lake.close()
    with headwater.connect(path) as connection:
        result = connection.sql("SELECT sum(id) FROM t")
        job = dict(connection.sql(f"DESC JOB '{result.job_id}'").rows)
        assert job["input_rows"] == "10"
