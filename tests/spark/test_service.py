"""The service with Spark behind it: values, cancelling, and a process that is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.processes import java_children, wait_for
from tests.unit.cli.test_serve import serving

import headwater
from headwater.client.local_service import TOKEN_FILE
from headwater.dbapi import Connection
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing

pytestmark = pytest.mark.spark

EVERY_TYPE = """
SELECT CAST(1 AS TINYINT) AS a, CAST(2 AS SMALLINT) AS b, 3 AS c, 4L AS d, CAST(0.1 AS FLOAT) AS e,
    0.1D AS f, CAST('12.50' AS DECIMAL(10,2)) AS g, 'naïve ☂' AS h, X'00FF' AS i, TRUE AS j,
    DATE '2024-02-29' AS k, TIMESTAMP '2024-02-29 12:34:56.789' AS l,
    TIMESTAMP_NTZ '2024-02-29 12:34:56.789' AS m, INTERVAL '1 02:03:04' DAY TO SECOND AS n,
    INTERVAL '1-2' YEAR TO MONTH AS o, array(1, NULL) AS p, map('k', 1.5D) AS q,
    named_struct('x', 1, 'y', array(DATE '2024-01-01')) AS r, parse_json('{"a": [1, null]}') AS s,
    NULL AS t, array(TIMESTAMP '2024-07-01 00:00:00') AS v, 7 AS c
UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
"""
# Such a result does not come from Spark as Arrow.
COLLECTED = "SELECT array(parse_json('[1]'), NULL) AS u, TIMESTAMP '2024-02-29 12:34:56' AS v"
# Runs for minutes unless it is cancelled; every task is short, so that cancelling is quick.
SLOW = "SELECT count(*) FROM range(0, 100000000000, 1, 20000) WHERE sqrt(id) % 7 = 1"


@pytest.fixture
def server(lake_path: Path) -> Iterator[Server]:
    service = Service.open(lake_path, loops=False)
    server = Server(service, Listening(port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    yield server
    server.stop()


@pytest.fixture
def remote(server: Server, lake_path: Path) -> Iterator[Connection]:
    token = (lake_path / TOKEN_FILE).read_text()
    with headwater.connect(server.url, token=token) as connection:
        yield connection


def test_every_type_is_the_same_remote_and_embedded(remote: Connection, lake_path: Path) -> None:
    with headwater.connect(lake_path) as embedded:
        for zone in ("UTC", "Asia/Kathmandu"):
            for connection in (remote, embedded):
                connection.sql(f"SET spark.sql.session.timeZone = '{zone}'")
            for text in (EVERY_TYPE, "SELECT 1 AS a WHERE FALSE", COLLECTED):
                there, here = remote.sql(text), embedded.sql(text)
                assert there.schema == here.schema
                assert there.rows == here.rows
                types = [[[type(value) for value in row] for row in r] for r in (there, here)]
                assert types[0] == types[1]
    many = remote.sql("SELECT id, cast(id AS STRING) AS s FROM range(300000) ORDER BY id")
    assert len(many.rows) == 300_000
    assert many.rows[-1] == (299_999, "299999")


def test_a_long_query_is_cancelled_and_show_does_not_wait_for_it(
    remote: Connection, server: Server, lake_path: Path
) -> None:
    remote.sql("SELECT 1")
    failed: list[BaseException] = []

    def run() -> None:
        try:
            remote.sql(SLOW)
        except headwater.Error as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: remote.progress()[1] > 0, "Spark to begin")
    started = time.monotonic()
    assert remote.sql("SHOW SCHEMAS").rows == [("public",)]
    assert time.monotonic() - started < 5
    remote.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert failed[0].condition == "JOB_CANCELLED"
    status = remote.sql("SHOW JOBS").to_dicts()
    assert [job["status"] for job in status if "range(0" in job["job_text"]] == ["CANCELLED"]
    assert remote.sql("SELECT 2").rows == [(2,)]


def test_the_profile_of_a_job_says_what_it_read_and_what_it_did(
    remote: Connection, server: Server, lake_path: Path
) -> None:
    made = remote.sql("CREATE TABLE t AS SELECT id FROM range(100)")
    read = remote.sql("SELECT count(*) FROM t WHERE id >= 0")
    server.service.lake.flush_background()
    headers = {"Authorization": f"Bearer {(lake_path / TOKEN_FILE).read_text()}"}
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False) as http:
        wrote, asked = (
            http.get(f"/api/v1/jobs/{result.job_id}/profile").json() for result in (made, read)
        )
    assert (wrote["state"], wrote["kind"], wrote["sources"]) == ("SUCCEED", "CREATE_TABLE", [])
    assert wrote["rows_inserted"] == 100
    assert wrote["bytes_written"] > 0
    assert (asked["state"], asked["rows_produced"], asked["refresh"]) == ("SUCCEED", 1, None)
    [source] = asked["sources"]
    assert (source["table"], source["rows"]) == ("headwater.public.t", 100)
    assert source["bytes"] > 0
    for profile in (wrote, asked):
        assert profile["spark_jobs"]
        assert {stage["spark_job"] for stage in profile["stages"]} == set(profile["spark_jobs"])
        assert sum(stage["tasks"] for stage in profile["stages"]) > 0


@pytest.mark.usefixtures("short_spark")
def test_a_killed_service_finds_everything_at_its_next_start(lake_path: Path) -> None:
    with serving(lake_path) as first:
        wait_for(lambda: first.ready() == 200, "the service to be ready")
        token = (lake_path / TOKEN_FILE).read_text()
        connection = headwater.connect(first.url, token=token)
        connection.sql("CREATE TABLE t AS SELECT id FROM range(2)")
        thread = threading.Thread(target=_ignore_errors, args=(connection, SLOW))
        thread.start()
        wait_for(lambda: connection.progress()[1] > 0, "Spark to begin")
        first.end(signal.SIGKILL)
        thread.join(60)
    with headwater.connect(lake_path) as connection:
        states = {job["job_text"]: job["status"] for job in connection.sql("SHOW JOBS").to_dicts()}
        assert states[SLOW] == "FAILED"
        assert connection.sql("SELECT id FROM t ORDER BY id").rows == [(0,), (1,)]


@pytest.mark.usefixtures("short_spark")
def test_a_service_whose_spark_is_killed_says_so_and_gives_the_lake_back(lake_path: Path) -> None:
    with serving(lake_path, "--no-loop") as service:
        wait_for(lambda: service.ready() == 200, "the service to be ready")
        connection = headwater.connect(service.url, token=(lake_path / TOKEN_FILE).read_text())
        failed: list[headwater.Error] = []
        thread = threading.Thread(target=_ignore_errors, args=(connection, SLOW, failed))
        thread.start()
        wait_for(lambda: connection.progress()[1] > 0, "Spark to begin")
        ((jvm, _),) = java_children(service.process.pid)
        os.kill(jvm, signal.SIGKILL)
        assert service.process.wait(30) == 1
        thread.join(60)
        assert [error.condition for error in failed] == ["ENGINE_LOST"]
        wait_for(lambda: "ENGINE_LOST" in "".join(service.said), "the reason")
        assert "Traceback" not in "".join(service.said)
    with headwater.connect(lake_path) as embedded:
        [job] = [job for job in embedded.sql("SHOW JOBS").to_dicts() if job["job_text"] == SLOW]
        found = embedded.session.lake.store.jobs.get(job["job_id"])
        assert found is not None
        assert (found.state, str(found.error).split(":")[0]) == ("FAILED", "ENGINE_LOST")
        embedded.sql("CREATE SCHEMA s")


def _ignore_errors(
    connection: Connection, text: str, failed: list[headwater.Error] | None = None
) -> None:
    try:
        connection.sql(text)
    except headwater.Error as error:
        if failed is not None:
            failed.append(error)
