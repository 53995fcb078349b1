"""Virtual clusters beside what uses them: pipes, dynamic tables, jobs that wait; no Spark."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.pipes.fake_spark import table_of

import headwater
from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.jobs import Job, JobState
from headwater.errors import HeadwaterError, UserError
from headwater.runtime.clock import now

PATIENCE = 10.0
PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'loading' INGEST_MODE = 'LIST_PURGE'"
    " AS COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE"
)


def error_of(lake: headwater.Connection, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    return caught.value


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def job_on(lake: headwater.Connection, cluster: str, *, id: str = "j1") -> Job:
    """A query of this process that runs on a cluster."""
    job = Job(
        id=id,
        state=JobState.RUNNING,
        workspace="headwater",
        schema="public",
        creator="tester",
        text="SELECT 1",
        started_at=now(),
        instance=lake.session.lake.instance.id,
        kind="QUERY",
        vcluster=cluster,
    )
    lake.session.lake.store.jobs.start(job)
    return job


def end(lake: headwater.Connection, job: Job, state: JobState = JobState.SUCCEED) -> None:
    lake.session.lake.store.jobs.finish(replace(job, state=state))


def test_a_pipe_needs_a_cluster_that_is_there(lake: headwater.Connection) -> None:
    error = error_of(lake, PIPE)
    assert error.condition == "VCLUSTER_NOT_FOUND"
    lake.sql("CREATE VCLUSTER loading")
    lake.sql(PIPE)
    error = error_of(lake, "ALTER PIPE p SET VIRTUAL_CLUSTER = 'loadin'")
    assert (error.condition, error.hint) == ("VCLUSTER_NOT_FOUND", "did you mean LOADING?")


def test_a_cluster_that_a_pipe_names_goes_by_force_only(lake: headwater.Connection) -> None:
    lake.sql("CREATE VCLUSTER loading")
    lake.sql(PIPE)
    error = error_of(lake, "DROP VCLUSTER loading")
    assert error.condition == "VCLUSTER_IN_USE"
    assert error.message == "virtual cluster LOADING is used by pipe public.p"
    assert lake.sql("DROP VCLUSTER loading FORCE").message == "virtual cluster LOADING dropped"


def test_a_cluster_that_a_dynamic_table_names_goes_by_force_only(
    lake: headwater.Connection, dynamic_table: Callable[[Schedule], None]
) -> None:
    lake.sql("CREATE VCLUSTER loading")
    dynamic_table(Schedule(None, now(), 60, "LOADING"))
    error = error_of(lake, "DROP VCLUSTER loading")
    assert error.message == "virtual cluster LOADING is used by dynamic table public.d"


@pytest.fixture
def dynamic_table(lake: headwater.Connection) -> Callable[[Schedule], None]:
    """Makes a dynamic table d, in the catalog alone."""
    from tests.unit.catalog.samples import a_dynamic_table

    from headwater.catalog.objects import TableKind

    def make(schedule: Schedule) -> None:
        store = lake.session.lake.store
        plain = table_of(lake.session.lake, "base")
        table = replace(plain, id="d-id", name="d", kind=TableKind.DYNAMIC, location="d-place")
        made = replace(a_dynamic_table(table), schedule=schedule)
        store.dynamic_tables.begin_create(table, made)

    return make


def test_show_counts_jobs_and_a_job_at_work_keeps_a_cluster(lake: headwater.Connection) -> None:
    lake.sql("CREATE VCLUSTER loading")
    job = job_on(lake, "LOADING")
    shown = lake.sql("SHOW VCLUSTERS LIKE 'loading'")
    row = dict(zip(shown.columns, shown.rows[0], strict=True))
    assert (row["running_jobs"], row["queued_jobs"], row["state"]) == (1, 0, "RUNNING")
    error = error_of(lake, "DROP VCLUSTER loading")
    assert error.message == "virtual cluster LOADING is used by 1 job"
    end(lake, job)
    lake.sql("DROP VCLUSTER loading")


def test_cancel_all_jobs_asks_each_of_the_cluster_and_no_other(lake: headwater.Connection) -> None:
    lake.sql("CREATE VCLUSTER loading")
    jobs = [job_on(lake, "LOADING"), job_on(lake, "DEFAULT", id="j2")]
    done = lake.sql("ALTER VCLUSTER loading CANCEL ALL JOBS")
    assert done.message == "virtual cluster LOADING: 1 job asked to stop"
    asked = lake.session.lake.store.jobs.cancel_requested(lake.session.lake.instance.id)
    assert asked == ["j1"]
    for job in jobs:
        end(lake, job)


def test_suspend_waits_for_the_jobs_that_run(lake: headwater.Connection) -> None:
    job = job_on(lake, "DEFAULT")
    said: list[str | None] = []
    thread = threading.Thread(
        target=lambda: said.append(lake.sql("ALTER VCLUSTER default SUSPEND").message)
    )
    thread.start()
    until(lambda: dict(lake.sql("DESC VCLUSTER default").rows)["state"] == "SUSPENDING")
    assert said == []
    end(lake, job)
    thread.join(PATIENCE)
    assert said == ["virtual cluster DEFAULT suspended"]
    assert dict(lake.sql("DESC VCLUSTER default").rows)["state"] == "SUSPENDED"


def test_suspend_that_waits_can_be_cancelled(lake: headwater.Connection) -> None:
    job = job_on(lake, "DEFAULT")
    errors: list[HeadwaterError] = []

    def suspend() -> None:
        try:
            lake.sql("ALTER VCLUSTER default SUSPEND")
        except HeadwaterError as error:
            errors.append(error)

    thread = threading.Thread(target=suspend)
    thread.start()
    waiting = "SHOW JOBS WHERE status = 'RUNNING' AND job_text LIKE 'ALTER%'"
    until(lambda: len(lake.sql(waiting).rows) == 1)
    lake.sql(f"CANCEL JOB '{lake.sql(waiting).rows[0][0]}'")
    thread.join(PATIENCE)
    assert [error.condition for error in errors] == ["JOB_CANCELLED"]
    end(lake, job)


def test_a_query_on_a_suspended_cluster_without_auto_resume_fails_as_a_job(
    lake: headwater.Connection,
) -> None:
    lake.sql("ALTER VCLUSTER default SET AUTO_RESUME = FALSE; ALTER VCLUSTER default SUSPEND")
    error = error_of(lake, "SELECT 1")
    assert error.condition == "VCLUSTER_SUSPENDED"
    assert error.hint == "ALTER VCLUSTER DEFAULT RESUME"
    assert lake.sql("SHOW JOBS WHERE status = 'FAILED'").rows[0][8] == "SELECT 1"


def test_a_query_on_a_cluster_that_is_gone_fails_as_a_job(lake: headwater.Connection) -> None:
    lake.sql("CREATE VCLUSTER loading; USE VCLUSTER loading; DROP VCLUSTER loading")
    error = error_of(lake, "SELECT 1")
    assert isinstance(error, UserError)
    assert error.condition == "VCLUSTER_NOT_FOUND"
    assert len(lake.sql("SHOW JOBS WHERE status = 'FAILED'").rows) == 1
