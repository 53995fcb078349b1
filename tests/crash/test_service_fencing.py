"""A service that stands still inside a commit, is taken over from, and wakes up: it cannot commit.

It is stopped when Spark has done the work and Delta asks whether it may commit.
"""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import headwater
from headwater.client.local_service import TOKEN_FILE
from tests.crash.crashing import Crasher
from tests.nightly import often
from tests.processes import wait_for
from tests.unit.cli.test_serve import Serving, serving

pytestmark = [
    pytest.mark.spark,
    pytest.mark.crash,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("short_spark"),
]

LEASE_SECONDS = 6
PREPARED = """
    CREATE TABLE t (id INT, k STRING);
    INSERT INTO t VALUES (1, 'a'), (2, 'b');
    CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k
"""
STATEMENTS = {
    "refresh": "REFRESH DYNAMIC TABLE d",
    "insert": "INSERT INTO t VALUES (100, 'late')",
    "create": "CREATE TABLE made AS SELECT 1 AS id",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, crasher: Crasher) -> Path:
    lake = tmp_path_factory.mktemp("template") / "lake"
    crasher.prepare(lake, PREPARED)
    return lake


@pytest.fixture
def lake(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "lake")


@pytest.fixture
def holder(lake: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """A service whose first commit stands still at its last moment."""
    with monkeypatch.context() as set_for_it:
        set_for_it.setenv("HEADWATER_FAILPOINT", "commit.fence")
        set_for_it.setenv("HEADWATER_FAILPOINT_SIGNAL", "SIGSTOP")
        service = Serving(lake, "--no-loop")
    try:
        wait_for(lambda: service.ready() == 200, "the service to be ready")
        yield service
    finally:
        service.process.kill()
        service.process.wait()


@pytest.mark.parametrize("kind", often(STATEMENTS, ["refresh"]))
def test_a_holder_that_wakes_up_inside_a_commit_commits_nothing(
    lake: Path, holder: Serving, kind: str
) -> None:
    token = (lake / TOKEN_FILE).read_text()
    with serving(lake, "--no-loop") as standby:
        assert standby.ready() == 503
        late = _send(holder.url, token, STATEMENTS[kind])
        wait_for(lambda: _stands_still(holder), "the holder to stand still")
        stopped = time.monotonic()
        wait_for(lambda: standby.ready() == 200, "the standby to take over")
        assert time.monotonic() - stopped <= 2 * LEASE_SECONDS
        with headwater.connect(standby.url, token=token) as connection:
            connection.sql("INSERT INTO t VALUES (3, 'b')")
            holder.process.send_signal(signal.SIGCONT)
            ended = _ended(holder.url, token, late)
            assert ended["state"] == "FAILED"
            assert ended["error"]["condition"] == "LEASE_LOST"
            assert holder.ready() == 503
            connection.sql(STATEMENTS[kind])
            rows = connection.sql("SELECT id FROM t ORDER BY id").rows
            assert rows == [(1,), (2,), (3,), *([(100,)] if kind == "insert" else [])]
            connection.sql("REFRESH DYNAMIC TABLE d")
            assert connection.sql("VERIFY DYNAMIC TABLE d").rows[0][1]
            jobs = {job["job_id"]: job["status"] for job in connection.sql("SHOW JOBS").to_dicts()}
        assert jobs[ended["job_ids"][0]] == "FAILED"
        logs = _notes(lake)
        assert logs
        for notes in logs.values():
            assert ended["job_ids"][0] not in {note["job"] for note in notes}
            fences = [note["fence"] for note in notes]
            assert fences == sorted(fences)


def _send(url: str, token: str, sql: str) -> str:
    answer = httpx.post(
        f"{url}/api/v1/statements",
        json={"sql": sql, "wait_seconds": 0},
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
        timeout=60,
    )
    id: str = answer.json()["id"]
    return id


def _ended(url: str, token: str, statement: str) -> dict:
    """The statement, once it has ended; what was asked before may have waited for the process."""
    deadline = time.monotonic() + 60
    while True:
        found = httpx.get(
            f"{url}/api/v1/statements/{statement}?wait=10",
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
            timeout=60,
        ).json()
        if found["state"] not in ("QUEUED", "RUNNING") or time.monotonic() > deadline:
            return found


def _stands_still(service: Serving) -> bool:
    stat = Path("/proc", str(service.process.pid), "stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


def _notes(lake: Path) -> dict[Path, list[dict]]:
    """What the commits of each table say of themselves, in the order of its log."""
    return {
        log: [_note(entry) for entry in sorted(log.glob("*.json"))]
        for log in lake.rglob("_delta_log")
    }


def _note(entry: Path) -> dict:
    first = json.loads(entry.read_text().splitlines()[0])
    note: dict = json.loads(first["commitInfo"]["userMetadata"])["headwater"]
    return note
