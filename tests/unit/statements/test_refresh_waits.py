"""REFRESH by hand while the schedule refreshes the table: it waits, and then does its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.processes import wait_for
from tests.unit.statements.test_dynamic_table_statements import dynamic_table

import headwater
from headwater.catalog.dynamic_tables import Refresh, RefreshKind, RefreshState, RefreshTrigger
from headwater.catalog.jobs import Job, JobState
from headwater.errors import HeadwaterError, TransientError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.statements import begun_refresh, refreshing
from headwater.statements.context import Context

RUNNING = Job("j1", JobState.RUNNING, "headwater", "public", "ann", "REFRESH", now(), "i1")


@pytest.fixture(autouse=True)
def nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refresh that has begun succeeds at once, without Spark."""

    def done(context: Context, dynamic_table: object, started: Refresh) -> Refresh:
        ended = replace(started, state=RefreshState.SUCCEED, ended_at=now())
        return replace(ended, kind=RefreshKind.NO_DATA, detail={"because": "it is a test"})

    monkeypatch.setattr(refreshing, "_refreshed", done)
    monkeypatch.setattr(begun_refresh, "_LOOK_AGAIN", 0.01)


@pytest.fixture
def beside(lake: headwater.Connection) -> Iterator[headwater.Connection]:
    """Another connection, there before the other refresh: opening one ends what is orphaned."""
    with headwater.connect(lake.session.lake.folder.path) as opened:
        yield opened


@pytest.fixture
def others(lake: headwater.Connection, beside: headwater.Connection) -> Refresh:
    """What the schedule does at this moment."""
    made, store = dynamic_table(lake), lake.session.lake.store
    store.jobs.start(RUNNING)
    new = Refresh(made.id, 0, "headwater", "public", "d", "DEFAULT", now(), RUNNING.id)
    return store.refreshes.start(replace(new, trigger=RefreshTrigger.LH_SCHEDULED))


@pytest.fixture
def asked(beside: headwater.Connection, others: Refresh) -> Iterator[Future[Result]]:
    """REFRESH, by the other connection."""
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(beside.sql, "REFRESH DYNAMIC TABLE d")
        yield running
        beside.session.cancel()


def waiting(lake: headwater.Connection) -> list[str]:
    """The jobs that wait."""
    rows = lake.sql("SHOW JOBS WHERE status = 'RUNNING' AND job_text LIKE 'REFRESH DYN%'").rows
    return [row[0] for row in rows]


def test_it_begins_when_the_other_has_ended(
    lake: headwater.Connection, others: Refresh, asked: Future[Result]
) -> None:
    wait_for(lambda: waiting(lake), "the statement to begin")
    with pytest.raises(TimeoutError):
        asked.result(timeout=0.3)
    ended = now()
    lake.session.lake.store.refreshes.finish(
        replace(others, state=RefreshState.SUCCEED, ended_at=ended)
    )
    assert "NO_DATA" in (asked.result(timeout=30).message or "")
    newest = lake.session.lake.store.refreshes.list(table_id=others.table_id)[0]
    assert (newest.number, newest.trigger) == (2, RefreshTrigger.MANUAL)
    assert newest.started_at >= ended


def test_its_waiting_can_be_cancelled(lake: headwater.Connection, asked: Future[Result]) -> None:
    wait_for(lambda: waiting(lake), "the statement to begin")
    lake.sql(f"CANCEL JOB '{waiting(lake)[0]}'")
    with pytest.raises(HeadwaterError, match="JOB_CANCELLED"):
        asked.result(timeout=30)


def test_another_refresh_by_hand_is_not_waited_for(lake: headwater.Connection) -> None:
    made, store = dynamic_table(lake), lake.session.lake.store
    store.jobs.start(RUNNING)
    earlier = now() - timedelta(seconds=1)
    store.refreshes.start(
        Refresh(made.id, 0, "headwater", "public", "d", "DEFAULT", earlier, RUNNING.id)
    )
    with pytest.raises(TransientError, match="REFRESH_RUNNING"):
        lake.sql("REFRESH DYNAMIC TABLE d")
