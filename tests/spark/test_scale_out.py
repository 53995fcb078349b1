"""The whole product on a real cluster, with tables on S3 and metadata in PostgreSQL.

The workers run as another user, who cannot read the folder of the lake, nor any other of the
driver's. So whatever would be handed to them through the driver's disk fails here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.few_rows import SHORT
from tests.postgres import running_postgres
from tests.seaweedfs import KEYS, REGION, SeaweedServer
from tests.spark.places import s3_sql
from tests.spark_cluster import SparkCluster, running_cluster

from headwater.runtime.lake_store import ACCESS_VARIABLE, SECRET_VARIABLE
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store
from headwater.storage.store import Store

pytestmark = [pytest.mark.spark, pytest.mark.postgres, pytest.mark.timeout(600)]
_QUICK = {
    "spark.executor.memory": "640m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # Both workers have something to do.
    "spark.sql.shuffle.partitions": "2",
}


class Lake:
    """A lake whose driver is a process of its own."""

    def __init__(self, process: subprocess.Popen[str], path: Path, bucket: str) -> None:
        self.process = process
        self.path = path
        self.bucket = bucket

    def sql(self, text: str) -> list[list[Any]]:
        started = time.monotonic()
        rows: list[list[Any]] = self._ask({"sql": text})
        print(f"{time.monotonic() - started:5.1f} s  {' '.join(text.split())[:40]}")
        return rows

    def one(self, text: str) -> Any:
        return self.sql(text)[0][0]

    def run_until_idle(self) -> None:
        self._ask({"call": "run_until_idle"})

    def executors(self) -> int:
        count: int = self._ask({"call": "executors"})
        return count - 1  # the driver counts as one

    def _ask(self, what: dict[str, str]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the driver ended"
        answer = json.loads(line)
        assert "error" not in answer, f"{what}: {answer}"
        return answer["rows"]


@contextmanager
def opened(
    path: Path, cluster: SparkCluster, server: SeaweedServer, metadata: str
) -> Iterator[Lake]:
    bucket = server.create_bucket()
    environment = {
        "HEADWATER_SPARK_MASTER": cluster.master,
        "HEADWATER_SPARK_CONF": json.dumps({**SHORT, **cluster.settings, **_QUICK}),
        "HEADWATER_METADATA_URL": metadata,
        "HEADWATER_TABLES_LOCATION": f"s3a://{bucket}/lake",
        "HEADWATER_TABLES_ENDPOINT": server.endpoint,
        "HEADWATER_TABLES_REGION": REGION,
        ACCESS_VARIABLE: KEYS.access_key,
        SECRET_VARIABLE: KEYS.secret_key,
    }
    driver = Path(__file__).with_name("cluster_driver.py")
    process = subprocess.Popen(
        [sys.executable, str(driver), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield Lake(process, path, bucket)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def test_every_part_of_the_product_works_on_a_cluster(
    tmp_path: Path, seaweedfs: SeaweedServer
) -> None:
    with running_postgres() as postgres, running_cluster() as cluster:
        metadata = postgres.url(postgres.create_database())
        lake_path = tmp_path / "lake"
        with opened(lake_path, cluster, seaweedfs, metadata) as lake:
            address = parse_location(f"s3://{lake.bucket}/")
            bucket = open_store(address, seaweedfs.connection)
            _tables_are_written(lake)
            assert lake.executors() == 2
            _files_are_loaded(lake, bucket, seaweedfs)
            _pipes_load(lake, bucket)
            _streams_are_consumed(lake)
            _tasks_run(lake)
            _dynamic_tables_are_refreshed(lake)
            _versions_are_read_and_restored(lake)
            _tables_come_and_go(lake)
            _files_are_written(lake, bucket)
            _old_files_are_removed(lake, bucket)
            assert _folders(bucket) == {"lake/tables", "lake/volumes", "in"}
            bucket.close()
        assert not (lake_path / "tables").exists()
        assert not (lake_path / "volumes").exists()
        assert not (lake_path / "catalog.db").exists()


def _tables_are_written(lake: Lake) -> None:
    lake.sql("CREATE TABLE t1 (k INT, v STRING) PROPERTIES ('change_tracking' = 'true')")
    lake.sql("INSERT INTO t1 VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql(
        "MERGE INTO t1 USING (SELECT 2 AS k, 'B' AS v UNION ALL SELECT 4, 'd') AS s"
        " ON t1.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
    )
    lake.sql("DELETE FROM t1 WHERE k = 3")
    assert lake.sql("SELECT * FROM t1 ORDER BY k") == [[1, "a"], [2, "B"], [4, "d"]]


def _files_are_loaded(lake: Lake, bucket: Store, server: SeaweedServer) -> None:
    """One of the files has a name that Spark would leave out: it is read under another one."""
    bucket.write("in/copy/a.csv", b"10,x\n11,y\n")
    bucket.write("in/copy/_b.csv", b"12,z\n")
    lake.sql(f"CREATE STORAGE CONNECTION c {s3_sql(server.connection)}")
    lake.sql(f"CREATE EXTERNAL VOLUME v LOCATION 's3://{lake.bucket}/in/copy/' USING CONNECTION c")
    lake.sql("CREATE TABLE loaded (k INT, v STRING)")
    lake.sql("COPY INTO loaded FROM VOLUME v USING CSV FILES ('a.csv', '_b.csv')")
    assert lake.sql("SELECT k FROM loaded ORDER BY k") == [[10], [11], [12]]
    # Who reads these is a class of ours, which the workers get from the driver.
    bucket.write("in/copy/c.json", b'{"k": 13}\n{"K": 14}\n')
    read = "SELECT k FROM VOLUME v (k INT) USING JSON FILES ('c.json') ORDER BY k"
    assert lake.sql(read) == [[13], [14]]


def _pipes_load(lake: Lake, bucket: Store) -> None:
    lake.sql("CREATE TABLE piped (k INT, v STRING)")
    lake.sql(f"CREATE EXTERNAL VOLUME w LOCATION 's3://{lake.bucket}/in/pipe/' USING CONNECTION c")
    lake.sql(
        "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS COPY INTO piped"
        " FROM VOLUME w (k INT, v STRING) USING CSV PURGE = TRUE"
    )
    for number in range(3):
        bucket.write(f"in/pipe/{number}.csv", f"{number},x\n".encode())
    lake.run_until_idle()
    assert lake.sql("SELECT k FROM piped ORDER BY k") == [[0], [1], [2]]
    assert not [file for page in bucket.list("in/pipe") for file in page]
    lake.sql("DROP PIPE p")


def _streams_are_consumed(lake: Lake) -> None:
    lake.sql("CREATE TABLE STREAM s ON TABLE t1 WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')")
    lake.sql("UPDATE t1 SET v = 'A' WHERE k = 1")
    lake.sql("INSERT INTO t1 VALUES (5, 'e')")
    lake.sql("CREATE TABLE target (k INT, v STRING)")
    lake.sql("INSERT INTO target SELECT k, v FROM s WHERE __change_type <> 'UPDATE_BEFORE'")
    assert lake.sql("SELECT * FROM target ORDER BY k") == [[1, "A"], [5, "e"]]
    assert lake.sql("SELECT * FROM s") == []
    last, _, before = (row[1] for row in lake.sql("DESC HISTORY t1 LIMIT 3"))
    changes = (
        f"SELECT __change_type, k FROM TABLE_CHANGES('t1', '{before}', '{last}') ORDER BY k, 1"
    )
    assert lake.sql(changes) == [["UPDATE_AFTER", 1], ["UPDATE_BEFORE", 1], ["INSERT", 5]]


def _tasks_run(lake: Lake) -> None:
    lake.sql("CREATE TASK a SCHEDULE (DAILY) AS INSERT INTO target SELECT * FROM t1 WHERE k = 4")
    lake.sql("EXECUTE TASK a")
    lake.run_until_idle()
    assert "SUCCEEDED" in str(lake.sql("SHOW TASK INSTANCES"))
    assert lake.sql("SELECT k FROM target ORDER BY k") == [[1], [4], [5]]


def _dynamic_tables_are_refreshed(lake: Lake) -> None:
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT v, count(*) AS n FROM loaded GROUP BY v")
    lake.sql("REFRESH DYNAMIC TABLE d")
    lake.sql(
        "CREATE MATERIALIZED VIEW m AS SELECT l.v, t.v AS w FROM loaded l JOIN t1 t"
        " ON l.k = t.k + 9"
    )
    assert lake.sql("SELECT * FROM m ORDER BY v") == [["x", "A"], ["y", "B"]]
    lake.sql("INSERT INTO loaded VALUES (13, 'x'), (14, 'q')")
    lake.sql("DELETE FROM loaded WHERE v = 'y'")
    lake.sql("REFRESH DYNAMIC TABLE d")
    assert lake.sql("SELECT * FROM d ORDER BY v") == [["q", 1], ["x", 2], ["z", 1]]
    history = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'd'")
    assert "INCREMENTAL" in str(history), history
    assert lake.sql("VERIFY DYNAMIC TABLE d")[0][1] is True
    assert lake.sql("VERIFY MATERIALIZED VIEW m")[0][1] is True


def _versions_are_read_and_restored(lake: Lake) -> None:
    versions = lake.sql("DESC HISTORY loaded")
    newest = max(int(row[0]) for row in versions)
    assert lake.one(f"SELECT count(*) FROM loaded VERSION AS OF {newest - 2}") == 3
    lake.sql("OPTIMIZE loaded")
    assert lake.one("SELECT count(*) FROM loaded") == 4
    at = next(row[1] for row in versions if int(row[0]) == newest - 2)
    lake.sql(f"RESTORE TABLE loaded TO TIMESTAMP AS OF '{at}'")
    assert lake.sql("SELECT k FROM loaded ORDER BY k") == [[10], [11], [12]]


def _tables_come_and_go(lake: Lake) -> None:
    lake.sql("DROP TABLE loaded")
    assert ["loaded"] not in lake.sql("SELECT table_name FROM (SHOW TABLES)")
    lake.sql("UNDROP TABLE loaded")
    assert lake.one("SELECT count(*) FROM loaded") == 3


def _files_are_written(lake: Lake, bucket: Store) -> None:
    lake.sql("CREATE VOLUME out")
    lake.sql("COPY INTO VOLUME out SUBDIRECTORY 'x' FROM TABLE loaded FILE_FORMAT = (TYPE = CSV)")
    assert (
        lake.one("SELECT count(*) FROM VOLUME out (k INT, v STRING) USING CSV SUBDIRECTORY 'x'")
        == 3
    )
    written = [file.path for page in bucket.list("lake/volumes/named") for file in page]
    assert [path.endswith(".csv") for path in written] == [True], written


def _old_files_are_removed(lake: Lake, bucket: Store) -> None:
    lake.sql("ALTER TABLE target SET PROPERTIES ('data_retention_days' = '0')")
    lake.sql("INSERT OVERWRITE target VALUES (9, 'z')")
    before = _data_files(bucket, "target")
    lake.sql("VACUUM target")
    after = _data_files(bucket, "target")
    assert len(after) == 1
    assert after < before
    assert lake.sql("SELECT * FROM target") == [[9, "z"]]


def _data_files(bucket: Store, table: str) -> set[str]:
    files = [file.path for page in bucket.list("lake/tables/public") for file in page]
    return {path for path in files if f"/{table}-" in path and path.endswith(".parquet")}


def _folders(bucket: Store) -> set[str]:
    """What the lake made in its bucket; nothing of what was staged is left."""
    paths = [file.path for page in bucket.list() for file in page]
    return {"/".join(path.split("/")[:2]) if path.startswith("lake/") else "in" for path in paths}
