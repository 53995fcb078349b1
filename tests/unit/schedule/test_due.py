"""When a table is due: intervals, one single refresh, target lags, failures, jumps of the clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.schedules import (
    FAILURES_TO_SUSPEND,
    ScheduledTable,
    failed,
    succeeded,
)
from headwater.names import QualifiedName
from headwater.schedule.due import due_since, joins, next_due

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def table(schedule: Schedule | None, **changes: Any) -> ScheduledTable:
    """A table that was made at noon."""
    name = QualifiedName("w", "public", "d")
    return replace(ScheduledTable("d", name, schedule=schedule, baseline=NOON), **changes)


def every(minutes: float, **changes: Any) -> Schedule:
    """A REFRESH clause that was given at noon."""
    return replace(Schedule(start=NOON, interval_seconds=int(minutes * 60)), **changes)


def due(given: ScheduledTable, minutes: float) -> bool:
    return due_since(given, at(minutes)) is not None


def test_a_table_without_a_schedule_is_never_due() -> None:
    assert not due(table(None), 1000)


def test_a_table_that_was_never_refreshed_is_due_at_once() -> None:
    assert due_since(table(every(10)), at(0)) == NOON


def test_an_interval_is_counted_from_when_the_table_was_made() -> None:
    made = table(every(10), refreshed_at=at(0.5))
    assert not due(made, 9.9)
    assert due_since(made, at(10)) == at(10)


def test_an_interval_is_counted_from_the_last_refresh_by_hand() -> None:
    made = table(every(10), baseline=at(7), refreshed_at=at(7))
    assert not due(made, 10)
    assert not due(made, 16.9)
    assert due_since(made, at(17)) == at(17)


def test_a_scheduled_refresh_does_not_move_the_ticks() -> None:
    made = table(every(10), refreshed_at=at(13))
    assert not due(made, 19.9)
    assert due_since(made, at(20)) == at(20)


def test_missed_ticks_are_one() -> None:
    made = table(every(10), refreshed_at=at(0))
    assert due_since(made, at(95)) == at(10)
    assert not due(replace(made, refreshed_at=at(95)), 99.9)
    assert due(replace(made, refreshed_at=at(95)), 100)


def test_start_with_is_waited_for_also_after_a_refresh_by_hand() -> None:
    later = every(10, start_text="..", start=at(60))
    assert not due(table(later), 59.9)
    assert due_since(table(later), at(60)) == at(60)
    by_hand = table(later, baseline=at(30), refreshed_at=at(30))
    assert not due(by_hand, 59.9)
    assert due(by_hand, 60)
    assert not due(replace(by_hand, refreshed_at=at(60)), 69.9)


def test_start_with_alone_is_one_refresh() -> None:
    once = Schedule(start_text="..", start=at(60))
    assert not due(table(once), 59)
    assert due(table(once, refreshed_at=at(30)), 60)
    assert not due(table(once, refreshed_at=at(60)), 10_000)


def test_a_clause_that_names_only_a_cluster_is_no_schedule() -> None:
    assert not due(table(Schedule(start=NOON, vcluster="ETL")), 100)


@pytest.mark.parametrize(
    ("took", "minutes"), [(0, 9), (30, 8), (120, 5), (3600, 5)], ids=lambda value: str(value)
)
def test_a_target_lag_leaves_time_for_the_refresh(took: float, minutes: float) -> None:
    lagging = table(Schedule(target_lag_seconds=600), refreshed_at=NOON, took_seconds=took)
    assert not due(lagging, minutes - 0.1)
    assert due_since(lagging, at(minutes)) == at(minutes)


def test_a_table_with_a_target_lag_is_due_until_it_was_refreshed() -> None:
    assert due(table(Schedule(target_lag_seconds=600)), 0)


def test_downstream_is_due_only_with_its_readers() -> None:
    assert not due(table(Schedule(downstream=True)), 1000)
    assert joins(table(Schedule(downstream=True)), NOON)


def test_what_may_be_refreshed_for_others_repeats_and_has_begun() -> None:
    assert joins(table(every(10)), NOON)
    assert joins(table(Schedule(target_lag_seconds=60)), NOON)
    assert not joins(table(None), NOON)
    assert not joins(table(Schedule(start_text="..", start=at(-5))), NOON)
    assert not joins(table(every(10, start_text="..", start=at(5))), NOON)
    assert not joins(table(every(10), suspended=True), NOON)


def test_suspended_and_marked_tables_are_not_due() -> None:
    assert not due(table(every(1), suspended=True), 100)
    assert not due(table(every(1), suspended_reason="public.p, which it reads, .."), 100)


def test_failures_are_tried_again_later_and_later() -> None:
    state = table(every(1), refreshed_at=NOON)
    waits = []
    for _ in range(FAILURES_TO_SUSPEND - 1):
        state = failed(state, at(5), "X: no", jitter=0.0)
        assert state.not_before is not None
        waits.append((state.not_before - at(5)).seconds)
        assert due_since(state, state.not_before - timedelta(seconds=1)) is None
        assert due_since(state, state.not_before) is not None
    assert waits == [30, 60, 120, 240]


def test_the_fifth_failure_in_a_row_suspends_and_says_why() -> None:
    state = table(every(1))
    for _ in range(FAILURES_TO_SUSPEND - 1):
        state = failed(state, NOON, "X: no", jitter=0.5)
    state = succeeded(state, took_seconds=3.0)
    assert (state.failures, state.took_seconds) == (0, 3.0)
    for _ in range(FAILURES_TO_SUSPEND - 1):
        state = failed(state, NOON, "X: no", jitter=0.5)
        assert not state.suspended
    state = failed(state, NOON, "X: no", jitter=0.5)
    assert state.suspended_by_failures
    assert state.suspended_reason == (
        "5 scheduled refreshes failed in a row, the last one with X: no"
    )


def test_a_clock_that_went_back_keeps_nothing_waiting_for_long() -> None:
    future = at(60 * 24 * 365)
    assert due(table(every(10), baseline=future, refreshed_at=future), 0.1)
    assert due(table(Schedule(target_lag_seconds=600), refreshed_at=future), 0.1)
    assert due(table(every(10), refreshed_at=NOON, not_before=future), 10)
    made_then = every(10, start=future)
    assert due(table(made_then, baseline=future), 0.1)


def test_when_a_table_is_due_next_is_told_before_it_is() -> None:
    made = table(every(10), refreshed_at=at(0.5))
    assert next_due(made, at(1)) == at(10)
    assert next_due(replace(made, not_before=at(12)), at(11)) == at(12), "after a failure"
    assert next_due(replace(made, suspended=True), at(1)) is None
    assert next_due(table(Schedule(downstream=True)), at(1)) is None
    assert next_due(table(Schedule(vcluster="V")), at(1)) is None
