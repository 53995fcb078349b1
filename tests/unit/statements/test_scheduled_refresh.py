"""Refreshes of a wave on a lake whose Spark never starts: their versions, history and baseline."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert
from tests.unit.statements.test_dynamic_table_statements import (
    dynamic_table,
    now_of,
    table_named,
)

import headwater
from headwater.catalog.dynamic_tables import (
    DynamicTable,
    RefreshKind,
    RefreshState,
    RefreshTrigger,
    Schedule,
)
from headwater.catalog.schedules import FAILURES_TO_SUSPEND, ScheduledTable
from headwater.errors import HeadwaterError
from headwater.refresh.pins import WavePins
from headwater.refresh.reasons import Reason
from headwater.run_refreshes import RefreshSessions
from headwater.runtime.clock import now
from headwater.schedule.steps import refresh_in_wave
from headwater.schedule.wave_run import Ended
from headwater.statements.context import Context
from headwater.statements.dispatch import execute_relation
from headwater.statements.refreshing import plan_of
from headwater.tables.versions import catch_up

SCHEDULE = Schedule(start=now(), interval_seconds=60, vcluster="DEFAULT_AP")


def refreshed_table(lake: headwater.Connection, **changes: object) -> DynamicTable:
    """A dynamic table over t that has just been refreshed."""
    made = dynamic_table(lake, schedule=SCHEDULE)
    context = Context(lake.session.state, "job", "", [], execute_relation)
    frontier = replace(plan_of(context, made).frontier, **changes)  # type: ignore[arg-type]
    lake.session.lake.store.dynamic_tables.set_frontier(made.id, frontier, number=1)
    return now_of(lake, made)


def write(lake: headwater.Connection, name: str = "t") -> int:
    """Add a row to a table; gives back its Delta version."""
    table = table_named(lake, name)
    location = Path(lake.session.lake.location(table))
    assert Insert(location, ("x",), "", None).commit()
    return catch_up(lake.session.lake, table).shape.delta_version


def scheduled(lake: headwater.Connection, made: DynamicTable) -> ScheduledTable:
    found = lake.session.lake.store.schedules.get(made.id)
    assert found is not None
    return found


@pytest.fixture
def made(lake: headwater.Connection) -> DynamicTable:
    return refreshed_table(lake)


@pytest.fixture
def sessions(lake: headwater.Connection) -> RefreshSessions:
    return RefreshSessions(lake.session.lake)


def test_a_scheduled_refresh_is_a_job_of_the_owner_on_the_cluster_of_the_table(
    lake: headwater.Connection, made: DynamicTable, sessions: RefreshSessions
) -> None:
    pins = WavePins(now())
    done = sessions.run(scheduled(lake, made), pins)
    assert (done.trigger, done.kind) == (RefreshTrigger.LH_SCHEDULED, RefreshKind.NO_DATA)
    assert done.virtual_cluster == "DEFAULT_AP"
    job = lake.session.lake.store.jobs.get(done.job_id)
    assert job is not None
    assert (job.creator, job.vcluster) == ("tester", "DEFAULT_AP")
    assert job.query_tag == "refresh.headwater.public.d"
    frontier = now_of(lake, made).frontier
    assert frontier is not None
    assert frontier.at == pins.at
    sessions.close()


def test_a_wave_reads_what_was_there_when_it_began(
    lake: headwater.Connection, made: DynamicTable, sessions: RefreshSessions
) -> None:
    before = made.frontier
    assert before is not None
    (source,) = before.sources
    assert write(lake) > before.sources[source]
    # At the versions of the wave there is nothing new, although a row came since.
    done = sessions.run(scheduled(lake, made), WavePins(now(), dict(before.sources)))
    assert (done.kind, done.reason) == (RefreshKind.NO_DATA, Reason.SOURCES_UNCHANGED)
    sessions.close()


def test_a_table_that_knows_more_than_the_wave_is_left_alone(
    lake: headwater.Connection, sessions: RefreshSessions
) -> None:
    write(lake)
    made = refreshed_table(lake)
    assert made.frontier is not None
    pins = WavePins(now(), {source: v - 1 for source, v in made.frontier.sources.items()})
    open_lake = lake.session.lake
    open_lake.writer.ensure()
    outcome = refresh_in_wave(open_lake, sessions.run, scheduled(lake, made), pins)
    assert outcome.ended is Ended.OVERTAKEN
    (last,) = open_lake.store.refreshes.list(table_id=made.id)
    assert (last.state, last.reason) == (RefreshState.SUCCEED, Reason.OVERTAKEN)
    assert now_of(lake, made).frontier == made.frontier
    sessions.close()


def test_columns_that_change_under_a_wave_end_it_without_a_failure(
    lake: headwater.Connection, made: DynamicTable, sessions: RefreshSessions
) -> None:
    assert made.frontier is not None
    old = dict(made.frontier.sources)
    table = table_named(lake, "t")
    log = Path(lake.session.lake.location(table)) / "_delta_log"
    first = (log / f"{0:020}.json").read_text()
    changed = [line for line in first.splitlines() if "metaData" in line]
    grown = changed[0].replace('\\"line\\"', '\\"other\\"')
    assert grown != changed[0]
    (log / f"{len(list(log.glob('*.json'))):020}.json").write_text(grown + "\n")
    lake.session.lake.writer.ensure()
    pins = WavePins(now(), old)
    outcome = refresh_in_wave(lake.session.lake, sessions.run, scheduled(lake, made), pins)
    assert outcome.ended is Ended.OVERTAKEN
    assert outcome.problem is not None
    assert outcome.problem.startswith("WAVE_SOURCE_CHANGED")
    assert scheduled(lake, made).failures == 0
    sessions.close()


def test_a_refresh_by_hand_is_the_new_baseline_and_a_failed_one_is_not(
    lake: headwater.Connection, made: DynamicTable
) -> None:
    before = scheduled(lake, made).baseline
    lake.sql("REFRESH DYNAMIC TABLE d")
    after = scheduled(lake, made)
    assert before is not None
    assert after.baseline is not None
    assert before < after.baseline <= (after.refreshed_at or before)
    lake.sql("DROP TABLE t")
    with pytest.raises(HeadwaterError, match="TABLE_NOT_FOUND"):
        lake.sql("REFRESH DYNAMIC TABLE d")
    assert scheduled(lake, made).baseline == after.baseline
    assert scheduled(lake, made).failures == 0


def test_run_until_idle_refreshes_what_is_due_and_nothing_else(lake: headwater.Connection) -> None:
    made = refreshed_table(lake, at=now() - timedelta(minutes=5))
    store = lake.session.lake.store
    store.schedules.set_baseline(made.id, now() - timedelta(seconds=100))
    lake.session.lake.store.dynamic_tables.replace(
        replace(made, schedule=replace(SCHEDULE, start=now() - timedelta(hours=1)))
    )
    lake.run_until_idle()
    lake.run_until_idle()
    (done,) = store.refreshes.list(table_id=made.id)
    assert done.trigger is RefreshTrigger.LH_SCHEDULED


def test_the_fifth_failure_suspends_and_the_history_and_resume_know(
    lake: headwater.Connection, made: DynamicTable, sessions: RefreshSessions
) -> None:
    lake.sql("DROP TABLE t")
    open_lake = lake.session.lake
    open_lake.writer.ensure()
    for _ in range(FAILURES_TO_SUSPEND):
        table = scheduled(lake, made)
        assert not table.suspended
        outcome = refresh_in_wave(open_lake, sessions.run, table, WavePins(now()))
        assert outcome.ended is Ended.FAILED
    table = scheduled(lake, made)
    assert table.suspended_by_failures
    history = open_lake.store.refreshes.list(table_id=made.id)
    assert history[0].suspended_reason == table.suspended_reason
    assert [refresh.suspended_reason for refresh in history[1:]] == [None] * 4
    lake.sql("ALTER DYNAMIC TABLE d RESUME")
    table = scheduled(lake, made)
    assert (table.suspended, table.suspended_reason, table.failures) == (False, None, 0)
    sessions.close()
