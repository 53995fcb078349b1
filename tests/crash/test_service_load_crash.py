"""SIGKILL of a service while many clients look, query, insert and refresh, and a pipe loads files.

HEADWATER_SERVICE_CLIENTS=200 and HEADWATER_SERVICE_KILLS=10 make it what `make fuzz` runs.
"""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from bench.load_client import Order, Tally
from bench.load_clients import clients

import headwater
from headwater.catalog.jobs import Job
from headwater.catalog.store import Store
from headwater.client.local_service import TOKEN_FILE
from headwater.runtime.clock import now
from headwater.runtime.lake_folder import LakeFolder
from tests.crash.crashing import Crasher
from tests.processes import wait_for
from tests.unit.cli.test_serve import Serving, serving

CLIENTS = int(os.environ.get("HEADWATER_SERVICE_CLIENTS", "8"))
KILLS = int(os.environ.get("HEADWATER_SERVICE_KILLS", "2"))
MORE_SECONDS = float(os.environ.get("HEADWATER_SERVICE_SECONDS", "2"))
"""How long at most a service lives on once it is at work."""
PROCESSES = 2
TABLES = 2
ROWS_OF_A_FILE = 5
COMPUTED = r'^headwater_statements_total\{lane="computing",state="SUCCEED"\} (\S+)$'

pytestmark = [
    pytest.mark.spark,
    pytest.mark.crash,
    pytest.mark.timeout(300 + 120 * KILLS),
    pytest.mark.usefixtures("short_spark"),
]

PREPARED = """
    CREATE STORAGE CONNECTION c TYPE FILE;
    CREATE EXTERNAL VOLUME v LOCATION 'file://{files}/' USING CONNECTION c;
    CREATE TABLE loaded (id INT, k INT);
    CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE'
        AS COPY INTO loaded FROM VOLUME v (id INT, k INT) USING CSV PURGE = TRUE;
    CREATE DYNAMIC TABLE d_loaded REFRESH INTERVAL 1 MINUTE
        AS SELECT k, count(*) AS n, sum(id) AS s FROM loaded GROUP BY k;
"""
OF_EACH_TABLE = """
    CREATE TABLE t{i} (id BIGINT, k STRING);
    CREATE DYNAMIC TABLE d{i} AS SELECT k, count(*) AS n FROM t{i} GROUP BY k;
"""
STATEMENTS: dict[str, list[tuple[int, str]]] = {
    "show": [(8, "SHOW TABLES"), (4, "SHOW JOBS"), (8, "DESC t0"), (4, "DESC HISTORY loaded")],
    "query": [(2, "SELECT count(*) FROM loaded"), (2, "SELECT k, count(*) FROM t1 GROUP BY k")],
    "insert": [(2, f"INSERT INTO t{i} VALUES ({{n}}, 'k')") for i in range(TABLES)],
    "refresh": [(1, f"REFRESH DYNAMIC TABLE d{i}") for i in range(TABLES)]
    + [(1, "REFRESH DYNAMIC TABLE d_loaded")],
}


class Files:
    """Files with rows that no other file has, written one after the other until stopped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self.written = 0
        folder.mkdir()

    def __enter__(self) -> Files:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Write no more; calling it again does nothing."""
        self._stop.set()
        self._thread.join()

    @property
    def rows(self) -> int:
        return self.written * ROWS_OF_A_FILE

    def _write(self) -> None:
        while not self._stop.wait(0.3):
            ids = range(self.rows, self.rows + ROWS_OF_A_FILE)
            hidden = self._folder / f"_{self.written}"
            hidden.write_text("".join(f"{id},{id % 3}\n" for id in ids))
            hidden.rename(self._folder / f"{self.written}.csv")
            self.written += 1


def test_a_service_killed_under_load_loses_and_doubles_nothing(
    tmp_path: Path, crasher: Crasher
) -> None:
    lake, address, stop = tmp_path / "lake", tmp_path / "address", tmp_path / "stop"
    dice = random.Random(KILLS)
    files = Files(tmp_path / "in")
    script = PREPARED.format(files=tmp_path / "in")
    crasher.prepare(lake, script + "".join(OF_EACH_TABLE.format(i=i) for i in range(TABLES)))
    with files, _living(lake, address) as first:
        token = (lake / TOKEN_FILE).read_text()
        orders = [
            Order(
                str(address),
                token,
                CLIENTS // PROCESSES,
                3600.0,
                STATEMENTS,
                seed=seed + 1,
                survives=True,
                stop_file=str(stop),
            )
            for seed in range(PROCESSES)
        ]
        with clients(orders) as running:
            _kill_at_work(first, token, dice)
            for _ in range(KILLS - 1):
                with _living(lake, address) as service:
                    _kill_at_work(service, token, dice)
            with _living(lake, address) as last:
                _wait_for_work(last, token)
                stop.touch()
                tally = running.tally()
                files.stop()
                with headwater.connect(last.url, token=token) as connection:
                    _check(connection, lake, files, tally)
                assert last.end() == 0


def _unfinished(lake: Path) -> list[Job]:
    """Asked of the catalog itself: whoever opens the lake would repair it first."""
    store = Store.open(LakeFolder(lake).catalog_url, clock=now)
    try:
        return store.jobs.unfinished()
    finally:
        store.close()


def _check(connection: headwater.Connection, lake: Path, files: Files, tally: Tally) -> None:
    counts = {kind: len(seconds) for kind, seconds in tally.seconds.items()}
    print(f"{counts}, {tally.refused} told to come back, {tally.gone} without an answer")
    assert tally.errors == {}
    assert counts["show"]
    connection.run_until_idle()
    wait_for(lambda: _unfinished(lake) == [], "all jobs to have ended")
    counted = "SELECT count(*), count(DISTINCT id), min(id), max(id) FROM loaded"
    assert connection.sql(counted).rows == [(files.rows, files.rows, 0, files.rows - 1)]
    inserted = 0
    for table in range(TABLES):
        rows = connection.sql(f"SELECT count(*), count(DISTINCT id) FROM t{table}").rows
        assert rows[0][0] == rows[0][1]
        inserted += rows[0][0]
    assert inserted >= counts.get("insert", 0)
    for name in ("d_loaded", *(f"d{table}" for table in range(TABLES))):
        assert connection.sql(f"VERIFY DYNAMIC TABLE {name}").rows[0][1]
    connection.sql("REFRESH DYNAMIC TABLE d_loaded")
    assert connection.sql("VERIFY DYNAMIC TABLE d_loaded").rows[0][1]
    assert connection.sql("SELECT sum(n) FROM d_loaded").rows == [(files.rows,)]


@contextmanager
def _living(lake: Path, address: Path) -> Iterator[Serving]:
    with serving(lake) as service:
        beside = address.with_suffix(".new")
        beside.write_text(service.url)
        beside.replace(address)
        wait_for(lambda: service.ready() == 200, "the service to be ready")
        yield service


def _kill_at_work(service: Serving, token: str, dice: random.Random) -> None:
    _wait_for_work(service, token)
    time.sleep(dice.uniform(0, MORE_SECONDS))
    service.end(signal.SIGKILL)


def _wait_for_work(service: Serving, token: str) -> None:
    """Until it has computed something since it was started: Spark is there, and busy."""

    def computed() -> float:
        headers = {"Authorization": f"Bearer {token}"}
        said = httpx.get(
            service.url + "/metrics", headers=headers, trust_env=False, verify=False, timeout=60
        )
        found = re.search(COMPUTED, said.text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    wait_for(lambda: computed() >= 1, "the service to compute something")
