"""Places for the jobs of a process: threads that wait, a clock that is set, limits that change."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import headwater
from headwater.errors import HeadwaterError
from headwater.runtime.admission import Request
from headwater.runtime.clock import now
from headwater.runtime.clusters import Clusters, Place

PATIENCE = 10.0
WORKSPACE = "headwater"


class Clock:
    """The present, moved on by hand."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return now() + self.ahead

    def advance(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        connection.sql("CREATE VCLUSTER one VCLUSTER_TYPE = ANALYTICS MAX_CONCURRENCY = 1")
        yield connection
        assert not connection.session.lake.engine.started


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def clusters(lake: headwater.Connection, clock: Clock) -> Clusters:
    store = lake.session.lake.store
    return Clusters(store, "here", clock, seconds=lambda: clock().timestamp())


def enter(clusters: Clusters, job: str, name: str = "ONE") -> Place:
    return clusters.enter(WORKSPACE, name, Request(job))


def in_thread(work: Callable[[], None]) -> tuple[threading.Thread, list[HeadwaterError]]:
    errors: list[HeadwaterError] = []

    def run() -> None:
        try:
            work()
        except HeadwaterError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, errors


def state(lake: headwater.Connection, name: str = "one") -> str:
    return dict(lake.sql(f"DESC VCLUSTER {name}").rows)["state"]


def test_the_next_one_runs_when_a_place_is_given_back(clusters: Clusters) -> None:
    first, second = enter(clusters, "a"), enter(clusters, "b")
    assert (first.reached, second.reached) == (True, False)
    thread, errors = in_thread(second.wait)
    first.__exit__(None, None, None)
    thread.join(PATIENCE)
    assert errors == []
    assert second.reached


def test_a_job_that_waits_can_be_cancelled(clusters: Clusters) -> None:
    with enter(clusters, "a") as first:
        second = enter(clusters, "b")
        thread, errors = in_thread(second.wait)
        clusters.cancel("b")
        thread.join(PATIENCE)
        assert [error.condition for error in errors] == ["JOB_CANCELLED"]
        second.__exit__(None, None, None)
        assert first.reached


def test_a_statement_inside_a_statement_has_the_place_of_its_thread(clusters: Clusters) -> None:
    with enter(clusters, "a") as outer:
        outer.wait()
        with enter(clusters, "b") as inner:
            inner.wait()
            assert inner.reached
        assert outer.reached
    assert enter(clusters, "c").reached


def test_an_idle_cluster_is_suspended_and_resumed_by_the_next_job(
    lake: headwater.Connection, clusters: Clusters, clock: Clock
) -> None:
    store = lake.session.lake.store.vclusters
    clock.advance(601)
    found = store.get(WORKSPACE, "ONE")
    assert found is not None
    assert found.state(at=clock(), busy=False) == "SUSPENDED"
    with enter(clusters, "a") as place:
        assert place.reached
    after = store.get(WORKSPACE, "ONE")
    assert after is not None
    assert after.state(at=clock(), busy=False) == "RUNNING"


def test_without_auto_resume_a_suspended_cluster_refuses(
    lake: headwater.Connection, clusters: Clusters, clock: Clock
) -> None:
    lake.sql("ALTER VCLUSTER one SET AUTO_RESUME = FALSE")
    clock.advance(601)
    with enter(clusters, "a") as place, pytest.raises(HeadwaterError) as caught:
        place.wait()
    assert caught.value.condition == "VCLUSTER_SUSPENDED"
    assert caught.value.hint == "ALTER VCLUSTER ONE RESUME"
    lake.session.lake.store.vclusters.resume(place.cluster.id, clock())
    with enter(clusters, "b") as place:
        assert place.reached


def test_a_cluster_at_work_is_never_idle(
    lake: headwater.Connection, clusters: Clusters, clock: Clock
) -> None:
    lake.sql("ALTER VCLUSTER one SET AUTO_RESUME = FALSE MAX_CONCURRENCY = 2")
    with enter(clusters, "a"):
        clock.advance(601)
        with enter(clusters, "b") as second:
            assert second.reached


def test_jobs_over_time_are_told_apart_from_those_that_users_cancel(
    lake: headwater.Connection, clusters: Clusters, clock: Clock
) -> None:
    lake.sql("ALTER VCLUSTER one SET QUERY_RUNTIME_LIMIT_IN_SECOND = 5")
    cancelled = headwater.errors.UserError("JOB_CANCELLED", job_id="a")
    with enter(clusters, "a") as place:
        clock.advance(4)
        assert clusters.overdue() == []
        assert place.better(cancelled) is cancelled
        clock.advance(2)
        assert clusters.overdue() == ["a"]
        error = place.better(cancelled)
    assert error.condition == "VCLUSTER_RUNTIME_LIMIT"
    assert error.hint == "ALTER VCLUSTER ONE SET QUERY_RUNTIME_LIMIT_IN_SECOND = 10"
    assert clusters.overdue() == []


def test_a_clock_that_is_set_ends_no_job(lake: headwater.Connection, clock: Clock) -> None:
    clusters = Clusters(lake.session.lake.store, "here", clock)
    with enter(clusters, "a"):
        clock.advance(30 * 86_400)
        assert clusters.overdue() == []


def test_a_larger_limit_lets_in_those_that_wait(
    lake: headwater.Connection, clusters: Clusters
) -> None:
    with enter(clusters, "a"), enter(clusters, "b") as second:
        assert not second.reached
        lake.sql("ALTER VCLUSTER one SET MAX_CONCURRENCY = 2")
        thread, errors = in_thread(second.wait)
        thread.join(PATIENCE)
        assert errors == []
        assert second.reached


def test_a_cluster_that_is_dropped_lets_nobody_wait(
    lake: headwater.Connection, clusters: Clusters
) -> None:
    with enter(clusters, "a"), enter(clusters, "b") as second:
        lake.sql("DROP VCLUSTER one")
        thread, errors = in_thread(second.wait)
        thread.join(PATIENCE)
        assert [error.condition for error in errors] == ["VCLUSTER_NOT_FOUND"]


def test_activity_is_noted_now_and_then_but_not_with_every_job(
    lake: headwater.Connection, clusters: Clusters, clock: Clock
) -> None:
    store = lake.session.lake.store.vclusters

    def noted() -> datetime:
        found = store.get(WORKSPACE, "ONE")
        assert found is not None
        return found.active_at

    first = noted()
    with enter(clusters, "a"):
        pass
    assert noted() == first
    clock.advance(61)
    with enter(clusters, "b"):
        pass
    assert noted() > first


def test_many_threads_never_pass_the_limit(clusters: Clusters) -> None:
    at_once: list[str] = []
    most: list[int] = []
    lock = threading.Lock()

    def work(job: str) -> None:
        with clusters.enter(WORKSPACE, "DEFAULT_AP", Request(job, "g", 3)) as place:
            place.wait()
            with lock:
                at_once.append(job)
                most.append(len(at_once))
            time.sleep(0.002)
            with lock:
                at_once.remove(job)

    threads = [in_thread(lambda job=f"j{n}": work(job)) for n in range(40)]  # type: ignore[misc]
    for thread, errors in threads:
        thread.join(PATIENCE)
        assert errors == []
    assert len(most) == 40
    assert max(most) == 3


def test_a_statement_that_needs_no_cluster_neither_waits_nor_resumes(
    lake: headwater.Connection,
) -> None:
    lake.sql("USE VCLUSTER one; ALTER VCLUSTER one SUSPEND")
    lake.sql("SHOW TABLES; CREATE SCHEMA s; SHOW JOBS")
    assert state(lake) == "SUSPENDED"


def test_an_unfinished_job_makes_a_suspended_cluster_suspending(
    lake: headwater.Connection,
) -> None:
    found = lake.session.lake.store.vclusters.get(WORKSPACE, "ONE")
    assert found is not None
    lake.session.lake.store.vclusters.suspend(found.id)
    after = lake.session.lake.store.vclusters.get(WORKSPACE, "ONE")
    assert after is not None
    assert after.state(at=now(), busy=True) == "SUSPENDING"
