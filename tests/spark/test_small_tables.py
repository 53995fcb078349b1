"""Small tables are read by the files that their logs name: one job, and the rows Delta reads."""

from __future__ import annotations

import random
import shutil
from typing import Any

import pytest

import headwater

SETTING = "spark.headwater.smallTablesByLog"


def jobs(lake: headwater.Connection, query: str) -> int:
    """How many Spark jobs a query takes."""
    lake.session.lake.flush_background()
    scheduler = lake.session.state.spark()._session.sparkContext._jsc.sc().dagScheduler()
    before = scheduler.numTotalJobs()
    lake.sql(query)
    return int(scheduler.numTotalJobs() - before)


def place(lake: headwater.Connection, table: str) -> str:
    """How Spark finds the files of a query over a table."""
    return str(lake.sql(f"EXPLAIN SELECT * FROM {table}").rows[0][0])


def both(lake: headwater.Connection, query: str) -> list[Any]:
    """The rows, which are the same by our own list of files and by Delta's."""
    ours = sorted(lake.sql(query).rows, key=repr)
    lake.sql(f"SET {SETTING} = false")
    theirs = sorted(lake.sql(query).rows, key=repr)
    lake.sql(f"RESET {SETTING}")
    assert ours == theirs
    return ours


def test_a_query_after_a_commit_is_one_job(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    for number in range(3):
        lake.sql(f"INSERT INTO t VALUES ({number}, 'n')")
        assert jobs(lake, "SELECT id FROM t WHERE name = 'n'") == 1
    lake.sql("DELETE FROM t WHERE id = 1")
    assert jobs(lake, "SELECT * FROM t") == 1
    assert both(lake, "SELECT id FROM t") == [(0,), (2,)]
    lake.sql(f"SET {SETTING} = false")
    lake.sql("INSERT INTO t VALUES (3, 'n')")
    assert jobs(lake, "SELECT id FROM t WHERE name = 'n'") > 1


def test_whatever_happened_to_a_table_its_rows_are_those_that_delta_reads(
    lake: headwater.Connection,
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    lake.sql("CREATE TABLE other AS SELECT 1 AS id, 'o' AS name")
    steps = [
        "INSERT INTO t SELECT id, 'n' FROM range(5)",
        "INSERT INTO t SELECT id + 5, name FROM t WHERE id < 3",
        "INSERT INTO t SELECT * FROM other",
        "DELETE FROM t WHERE id % 3 = 1",
        "UPDATE t SET name = 'u' WHERE id % 2 = 0",
        "MERGE INTO t USING (SELECT DISTINCT id FROM t) s ON t.id = s.id AND t.id > 5"
        " WHEN MATCHED THEN DELETE",
        "INSERT OVERWRITE t SELECT id, 'again' FROM range(4)",
        "OPTIMIZE t",
        "TRUNCATE TABLE t",
        "RESTORE TABLE t TO VERSION AS OF 2",
    ]
    for _ in range(14):
        step = chosen.choice(steps)
        lake.sql("INSERT INTO t VALUES (7, 'seven')")
        lake.sql(step)
        rows = both(lake, "SELECT id, name FROM t")
        assert len(rows) == both(lake, "SELECT count(*) FROM t")[0][0], step
    versions = [row[0] for row in lake.sql("DESC HISTORY t").rows]
    for version in chosen.sample(versions, 4):
        both(lake, f"SELECT id, name FROM t VERSION AS OF {version}")


def test_a_log_is_read_on_behind_a_checkpoint(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    for number in range(8):
        lake.sql(f"INSERT INTO t VALUES ({number})")
        assert len(both(lake, "SELECT id FROM t")) == number + 1
        assert "KnownFiles" in place(lake, "t")
    for version in (1, 3, 4, 7):
        both(lake, f"SELECT id FROM t VERSION AS OF {version}")


def test_what_is_partitioned_is_left_to_delta(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    assert "KnownFiles" not in place(lake, "t")
    assert both(lake, "SELECT id FROM t WHERE p = 'b'") == [(2,)]


def test_a_table_made_in_the_place_of_another_is_another(
    lake: headwater.Connection, tmp_path: Any
) -> None:
    spark = lake.session.state.spark()._session
    folder = tmp_path / "outside"
    for round_ in range(2):
        rows = spark.range(round_ * 10, round_ * 10 + 3)
        for _ in range(2):
            rows.coalesce(1).write.format("delta").mode("append").save(f"file:{folder}")
        found = spark.read.format("delta").load(f"file:{folder}").collect()
        assert sorted(row[0] for row in found) == sorted(
            [*range(3), *range(3)] if not round_ else [10, 10, 11, 11, 12, 12]
        )
        shutil.rmtree(folder)


def test_a_table_of_many_files_is_left_to_delta(lake: headwater.Connection) -> None:
    lake.sql("CREATE TABLE t AS SELECT /*+ REPARTITION(120) */ id FROM range(1000)")
    assert "KnownFiles" not in place(lake, "t")
    assert both(lake, "SELECT count(*), sum(id) FROM t") == [(1000, 499500)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.id FROM t a JOIN t b ON a.id = b.id",
        "SELECT id FROM t WHERE id IN (SELECT max(id) FROM t)",
        "SELECT id FROM t UNION ALL SELECT id FROM t VERSION AS OF 2",
    ],
)
def test_a_table_may_stand_anywhere_and_twice(lake: headwater.Connection, query: str) -> None:
    lake.sql("CREATE TABLE t (id INT)")
    lake.sql("INSERT INTO t VALUES (1), (2)")
    lake.sql("INSERT INTO t VALUES (3)")
    lake.sql("DELETE FROM t WHERE id = 2")
    assert both(lake, query)
