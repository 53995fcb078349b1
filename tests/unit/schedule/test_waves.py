"""What is refreshed together, in which order, what waits, and what is skipped."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.schedules import ScheduledTable
from headwater.names import QualifiedName
from headwater.schedule.graph import Graph
from headwater.schedule.marks import changed_marks
from headwater.schedule.wave_run import Ended, WaveRun
from headwater.schedule.waves import Tick, Wave, plan_wave

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
MINUTE = Schedule(start=NOON - timedelta(hours=1), interval_seconds=60)
HOUR = replace(MINUTE, interval_seconds=3600)
FOLLOWS = Schedule(downstream=True)


def table(
    id: str, *sources: str, schedule: Schedule | None = MINUTE, **changes: Any
) -> ScheduledTable:
    """A table that is due, unless its schedule says otherwise."""
    made = ScheduledTable(
        id,
        QualifiedName("w", "public", id),
        sources,
        schedule,
        baseline=NOON - timedelta(hours=1),
        refreshed_at=NOON - timedelta(minutes=5),
    )
    return replace(made, **changes)


def resting(id: str, *sources: str, **changes: Any) -> ScheduledTable:
    """A table that is not due."""
    return table(
        id, *sources, schedule=replace(HOUR, start=NOON - timedelta(minutes=30)), **changes
    )


def ids(wave: Wave) -> list[str]:
    return [member.id for member in wave.tables]


def held(tick: Tick) -> dict[str, str]:
    return {each.table.id: each.reason for each in tick.held}


def test_everything_that_is_due_is_one_wave_with_parents_first() -> None:
    tables = [table("c", "b"), table("b", "a"), table("a", "s"), table("x", "s"), resting("r", "s")]
    tick = plan_wave(tables, NOON)
    assert ids(tick.wave) == ["a", "x", "b", "c"]
    assert tick.wave.parents_of("c") == ("b",)
    assert tick.wave.parents_of("a") == ()


def test_a_parent_that_is_not_due_stays_out() -> None:
    assert ids(plan_wave([resting("a", "s"), table("b", "a")], NOON).wave) == ["b"]


def test_parents_that_follow_their_readers_come_along_through_all_layers() -> None:
    follows = {"schedule": FOLLOWS}
    tables = [table("a", "s", **follows), table("b", "a", **follows), table("c", "b")]
    assert ids(plan_wave(tables, NOON).wave) == ["a", "b", "c"]
    alone = [*tables[:2], resting("c", "b")]
    assert ids(plan_wave(alone, NOON).wave) == []


def test_a_diamond_is_refreshed_as_a_whole() -> None:
    tables = [resting("b", "s"), resting("c", "s"), resting("other", "s2"), table("d", "b", "c")]
    assert ids(plan_wave(tables, NOON).wave) == ["b", "c", "d"]


def test_a_source_read_directly_and_through_a_table_is_a_diamond_too() -> None:
    assert ids(plan_wave([resting("b", "s"), table("d", "s", "b")], NOON).wave) == ["b", "d"]


def test_what_both_ways_of_a_diamond_share_need_not_be_refreshed() -> None:
    tables = [resting("a", "s"), resting("b", "a"), resting("c", "a"), table("d", "b", "c")]
    graph = Graph.of(tables)
    assert graph.with_needs("d") == {"a", "b", "c", "d"} - {"a"}


def test_ways_that_share_nothing_are_no_diamond() -> None:
    tables = [resting("b", "s1"), resting("c", "s2"), table("d", "b", "c")]
    assert ids(plan_wave(tables, NOON).wave) == ["d"]


def test_what_stands_still_is_read_as_it_stands() -> None:
    tables = [
        resting("by_hand", "s"),
        resting("suspended", "s", suspended=True),
        resting("c", "s"),
        table("d", "by_hand", "suspended", "c"),
    ]
    tables[0] = replace(tables[0], schedule=None)
    assert ids(plan_wave(tables, NOON).wave) == ["c", "d"]


def test_a_table_at_work_is_not_begun_again_and_the_backlog_says_so() -> None:
    tick = plan_wave([table("a", "s"), table("b", "s")], NOON, busy={"a"})
    assert ids(tick.wave) == ["b"]
    assert held(tick) == {"a": "its last refresh is not over"}
    # By its ticks it should have been refreshed a minute after the last time.
    assert tick.held[0].since == NOON - timedelta(minutes=4)


def test_a_diamond_waits_for_a_table_of_it_that_is_at_work() -> None:
    tables = [resting("b", "s"), resting("c", "s"), table("d", "b", "c")]
    tick = plan_wave(tables, NOON, busy={"b"})
    assert ids(tick.wave) == []
    assert held(tick) == {"d": "waits for public.b, which is being refreshed"}


def test_a_reader_does_not_wait_for_a_parent_at_work_that_it_does_not_need() -> None:
    assert ids(plan_wave([table("a", "s"), table("b", "a")], NOON, busy={"a"}).wave) == ["b"]


def test_what_reads_a_table_that_failed_waits_for_it() -> None:
    failing = {"failures": 1, "not_before": NOON + timedelta(seconds=20)}
    tables = [table("a", "s", **failing), table("b", "a"), table("c", "b"), table("x", "s")]
    tick = plan_wave(tables, NOON)
    assert ids(tick.wave) == ["x"]
    reason = "waits for public.a, whose refresh failed and is tried again"
    assert held(tick) == {"b": reason, "c": reason}


def test_who_has_waited_for_long_keeps_others_from_taking_what_it_needs() -> None:
    """Else one of `b` and `c`, which are slow, would always be at work when the other is free."""
    waiting = table("d", "b", "c", refreshed_at=NOON - timedelta(minutes=5))
    late = {"refreshed_at": NOON - timedelta(seconds=90)}
    tables = [table("b", "s", **late), table("c", "s", **late), waiting]
    tick = plan_wave(tables, NOON, busy={"b"})
    assert ids(tick.wave) == []
    assert held(tick)["c"] == "public.c is kept free for a table that waits for longer"
    patient = replace(waiting, schedule=replace(HOUR, start=NOON - timedelta(minutes=1)))
    assert ids(plan_wave([*tables[:2], patient], NOON, busy={"b"}).wave) == ["c"]


def test_what_is_done_is_not_refreshed_again() -> None:
    assert ids(plan_wave([table("a", "s"), table("b", "s")], NOON, done={"a"}).wave) == ["b"]


def test_a_circle_stops_nobody_else() -> None:
    tables = [table("a", "b"), table("b", "a"), table("x", "s")]
    assert ids(plan_wave(tables, NOON).wave) == ["x"]


def started(run: WaveRun) -> list[str]:
    return [each.id for each in run.take_ready()]


def test_siblings_begin_together_and_children_when_all_parents_are_done() -> None:
    tables = [table("a", "s"), table("b", "s"), table("c", "a", "b")]
    run = WaveRun(plan_wave(tables, NOON).wave)
    assert started(run) == ["a", "b"]
    assert started(run) == []
    run.end("a", Ended.DONE)
    assert started(run) == []
    run.end("b", Ended.DONE)
    assert started(run) == ["c"]
    assert not run.over
    run.end("c", Ended.DONE)
    assert run.over


def test_without_a_parent_its_children_are_skipped_and_the_others_go_on() -> None:
    tables = [table("a", "s"), table("x", "s"), table("b", "a"), table("c", "b"), table("y", "x")]
    run = WaveRun(plan_wave(tables, NOON).wave)
    assert started(run) == ["a", "x"]
    run.end("a", Ended.FAILED)
    assert run.skipped == {
        "b": "public.a, which it reads, could not be refreshed",
        "c": "public.b, which it reads, was skipped",
    }
    run.end("x", Ended.DONE)
    assert started(run) == ["y"]
    run.end("y", Ended.DONE)
    assert run.over


def test_what_reads_a_table_that_its_failures_suspended_is_marked_until_it_is_resumed() -> None:
    broken = table("a", "s", suspended=True, suspended_reason="5 ..", failures=5)
    tables = [broken, table("b", "a"), table("c", "b"), table("x", "s")]
    reason = "public.a, which it reads, is suspended"
    assert changed_marks(tables) == {"b": reason, "c": reason}
    marked = [replace(each, suspended_reason=reason) for each in tables[1:3]]
    assert changed_marks([broken, *marked, tables[3]]) == {}
    resumed = table("a", "s")
    assert changed_marks([resumed, *marked, tables[3]]) == {"b": None, "c": None}


def test_a_table_that_the_user_suspended_marks_nobody() -> None:
    assert changed_marks([table("a", "s", suspended=True), table("b", "a")]) == {}
