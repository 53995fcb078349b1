"""What the store knows of schedules: read at once, changed by refreshes, RESUME and marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.catalog.samples import (
    a_job,
    a_refresh,
    a_table,
    at,
    with_dynamic_table,
    with_schema,
    with_table,
)

from headwater.catalog.dynamic_tables import Frontier, RefreshState, Schedule
from headwater.catalog.jobs import JobState
from headwater.catalog.schedules import FAILURES_TO_SUSPEND, ScheduledTable
from headwater.catalog.store import Store


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def the_only(store: Store) -> ScheduledTable:
    (found,) = store.schedules.list()
    return found


def test_a_new_table_counts_from_when_it_was_made(lake: Store) -> None:
    schedule = Schedule(start=at(0), interval_seconds=60)
    made = with_dynamic_table(lake, schedule=schedule, sources=("t2", "t1"))
    found = the_only(lake)
    assert (found.id, found.name) == (made.id, made.qualified)
    assert found.sources == ("t2", "t1")
    assert found.schedule == schedule
    assert found.baseline == a_table("totals").created_at
    assert (found.refreshed_at, found.failures, found.suspended_reason) == (None, 0, None)


def test_tables_without_a_schedule_are_listed_and_dropped_ones_are_not(lake: Store) -> None:
    first, gone = with_dynamic_table(lake, "a"), with_dynamic_table(lake, "b")
    with_table(lake, "plain")
    table = lake.tables.get_by_id(gone.id)
    assert table is not None
    lake.tables.drop(table, at(5))
    assert [table.id for table in lake.schedules.list()] == [first.id]
    assert lake.schedules.get(gone.id) is None


def test_a_refresh_says_how_recent_the_rows_are(lake: Store) -> None:
    made = with_dynamic_table(lake)
    lake.dynamic_tables.set_frontier(made.id, Frontier({}, at(7)), number=1)
    assert the_only(lake).refreshed_at == at(7)


def test_failures_are_counted_until_they_suspend_and_resume_forgets_them(lake: Store) -> None:
    made = with_dynamic_table(lake)
    for number in range(1, FAILURES_TO_SUSPEND):
        after = lake.schedules.record_failure(made.id, at(0), "X: no", jitter=0.0)
        assert after is not None
        assert (after.failures, after.suspended) == (number, False)
        assert the_only(lake).not_before == after.not_before
    lake.schedules.record_failure(made.id, at(0), "X: no", jitter=0.0)
    found = lake.dynamic_tables.by_id(made.id)
    assert found is not None
    assert found.suspended
    assert found.failures == FAILURES_TO_SUSPEND
    assert found.suspended_reason is not None
    assert "X: no" in found.suspended_reason
    lake.schedules.resume(made.id)
    again = the_only(lake)
    assert (again.suspended, again.failures, again.suspended_reason) == (False, 0, None)


def test_a_success_forgets_failures_and_keeps_how_long_it_took(lake: Store) -> None:
    made = with_dynamic_table(lake)
    lake.schedules.record_failure(made.id, at(0), "X: no", jitter=0.0)
    lake.schedules.record_success(made.id, took_seconds=2.5)
    found = the_only(lake)
    assert (found.failures, found.not_before, found.took_seconds) == (0, None, 2.5)


def test_a_refresh_by_hand_moves_the_baseline_and_forgets_failures(lake: Store) -> None:
    made = with_dynamic_table(lake)
    lake.schedules.record_failure(made.id, at(0), "X: no", jitter=0.0)
    lake.schedules.set_baseline(made.id, at(9))
    found = the_only(lake)
    assert (found.baseline, found.failures, found.not_before) == (at(9), 0, None)


def test_marks_come_and_go_but_not_on_suspended_tables(lake: Store) -> None:
    marked = with_dynamic_table(lake, "a")
    suspended = with_dynamic_table(lake, "b", suspended=True)
    lake.schedules.mark({marked.id: "why", suspended.id: "why"})
    reasons = {table.id: table.suspended_reason for table in lake.schedules.list()}
    assert reasons == {marked.id: "why", suspended.id: None}
    lake.schedules.mark({marked.id: None})
    found = lake.schedules.get(marked.id)
    assert found is not None
    assert found.suspended_reason is None


def test_a_table_that_is_gone_cannot_fail(lake: Store) -> None:
    assert lake.schedules.record_failure("gone", at(0), "X: no", jitter=0.0) is None


def test_the_store_knows_which_tables_are_being_refreshed(lake: Store) -> None:
    first, second = with_dynamic_table(lake, "a"), with_dynamic_table(lake, "b")
    job = a_job(state=JobState.RUNNING)
    lake.jobs.start(job)
    started = lake.refreshes.start(a_refresh(first, job_id=job.id))
    assert lake.refreshes.running([first.id, second.id]) == {first.id}
    lake.refreshes.finish(replace(started, state=RefreshState.SUCCEED, ended_at=at(1)))
    assert lake.refreshes.running([first.id, second.id]) == frozenset()
