"""Virtual clusters on Spark: side by side, queued when full, cancelled, over time, in pools."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import headwater

pytestmark = pytest.mark.spark

# Runs for minutes unless it is cancelled; every task is short, so that cancelling is quick.
SLOW = "SELECT count(*) FROM range(0, 40000000000, 1, 20000) WHERE id % 7 = sqrt(id)"
PATIENCE = 60.0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Running:
    """A statement in a thread of its own."""

    def __init__(self, connection: headwater.Connection, text: str) -> None:
        self.connection = connection
        self.text = text
        self.result: Any = None
        self.error: headwater.Error | None = None
        self.thread = Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.result = self.connection.sql(self.text)
        except headwater.Error as error:
            self.error = error

    def join(self) -> headwater.Error | None:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        return self.error


@contextmanager
def connections(path: Path, number: int) -> Iterator[list[headwater.Connection]]:
    made = [headwater.connect(path) for _ in range(number)]
    try:
        yield made
    finally:
        for connection in made:
            connection.cancel()
            connection.close()


def states(look: headwater.Connection, text: str) -> list[str]:
    shown = look.sql(f"SHOW JOBS WHERE job_text = '{text}' AND vcluster_name = 'ONE'")
    return sorted(row[1] for row in shown.rows)


def pool_of(connection: headwater.Connection, name: str) -> tuple[int, str]:
    """The weight of a pool in Spark's scheduler, and how it shares inside."""
    context = connection.session.lake.engine._context
    pool = context._jsc.sc().taskScheduler().rootPool().getSchedulableByName(name)
    return pool.weight(), pool.schedulingMode().toString()


def test_a_full_cluster_queues_while_another_one_works(lake_path: Path) -> None:
    with connections(lake_path, 4) as (look, first, second, other):
        look.sql("CREATE VCLUSTER one VCLUSTER_TYPE = ANALYTICS MAX_CONCURRENCY = 1")
        for connection in (first, second):
            connection.sql("USE VCLUSTER one")
        assert first.sql("SELECT current_vcluster(), 1").rows == [("ONE", 1)]
        assert first.sql("SELECT current_vcluster()").columns == ["current_vcluster()"]
        slow = Running(first, SLOW)
        until(lambda: first.session.progress()[1] > 0)
        waiting = Running(second, "SELECT 2")
        until(lambda: states(look, "SELECT 2") == ["QUEUED"])
        shown = look.sql("SHOW VCLUSTERS WHERE running_jobs = 1 AND queued_jobs = 1")
        assert [row[0] for row in shown.rows] == ["ONE"]
        # another cluster goes on meanwhile
        assert other.sql("SELECT count(*) FROM range(0, 9, 1, 1)").rows == [(9,)]
        assert waiting.thread.is_alive()
        # one that waits can be cancelled
        queued = look.sql("SHOW JOBS IN VCLUSTER one WHERE status = 'QUEUED'").rows[0][0]
        look.sql(f"CANCEL JOB '{queued}'")
        error = waiting.join()
        assert error is not None
        assert "JOB_CANCELLED" in str(error)
        assert slow.thread.is_alive()
        # and one that waits runs when its turn comes
        waiting = Running(second, "SELECT 3")
        until(lambda: states(look, "SELECT 3") == ["QUEUED"])
        slow_job = look.sql("SHOW JOBS IN VCLUSTER one WHERE status = 'RUNNING'").rows[-1][0]
        look.sql(f"CANCEL JOB '{slow_job}'")
        assert "JOB_CANCELLED" in str(slow.join())
        assert waiting.join() is None
        assert waiting.result.rows == [(3,)]
        assert states(look, "SELECT 3") == ["SUCCEED"]
        assert pool_of(first, "ONE") == (4, "FAIR")


def test_weights_change_and_jobs_over_time_are_cancelled(lake_path: Path) -> None:
    with connections(lake_path, 2) as (look, first):
        look.sql("CREATE VCLUSTER late QUERY_RUNTIME_LIMIT_IN_SECOND = 1")
        first.sql("USE VCLUSTER late")
        first.sql("SELECT 1")
        assert pool_of(first, "LATE") == (4, "FAIR")
        look.sql("ALTER VCLUSTER late SET VCLUSTER_SIZE = 2")
        first.sql("SELECT 1")
        assert pool_of(first, "LATE") == (8, "FAIR")
        with pytest.raises(headwater.Error, match="VCLUSTER_RUNTIME_LIMIT"):
            first.sql(SLOW)
        assert look.sql("SHOW JOBS IN VCLUSTER late WHERE status = 'FAILED'").rows[0][8] == SLOW
        # suspended by force: the job goes, and the next one resumes the cluster
        look.sql("ALTER VCLUSTER late SET QUERY_RUNTIME_LIMIT_IN_SECOND = 600")
        slow = Running(first, SLOW)
        until(lambda: first.session.progress()[1] > 0)
        done = look.sql("ALTER VCLUSTER late SUSPEND FORCE")
        assert done.message == "virtual cluster LATE suspended, 1 job cancelled"
        assert "JOB_CANCELLED" in str(slow.join())
        assert dict(look.sql("DESC VCLUSTER late").rows)["state"] == "SUSPENDED"
        assert first.sql("SELECT 4").rows == [(4,)]
        assert dict(look.sql("DESC VCLUSTER late").rows)["state"] == "RUNNING"
