"""The loop of the schedule on a fake lake: what it begins, ends, skips and says."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.unit.schedule.fake_lake import START, FakeLake, FakePool

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.schedules import FAILURES_TO_SUSPEND, ScheduledTable
from headwater.errors import TransientError, UserError
from headwater.names import QualifiedName
from headwater.refresh.pins import WavePins
from headwater.schedule import loop as loop_module
from headwater.schedule import steps as steps_module
from headwater.schedule.loop import ScheduleLoop, Told

MINUTE = Schedule(start=START, interval_seconds=60)


@pytest.fixture
def lake(monkeypatch: pytest.MonkeyPatch) -> FakeLake:
    """`a` and `b` read s, `d` reads both, `x` reads s; all are due."""
    made = FakeLake(plain={"s": 1})
    for id, *sources in (("a", "s"), ("b", "s"), ("d", "a", "b"), ("x", "s")):
        made.add(ScheduledTable(id, QualifiedName("w", "public", id), tuple(sources), MINUTE))
    monkeypatch.setattr(loop_module, "now", lambda: made.at)
    monkeypatch.setattr(steps_module, "now", lambda: made.at)
    monkeypatch.setattr(loop_module, "pin_wave", made.pin_wave)
    monkeypatch.setattr(loop_module, "_LOOK", 0.01)
    return made


def loop_of(lake: FakeLake, **listeners: Any) -> ScheduleLoop:
    return ScheduleLoop(lake, lake.run, **listeners)  # type: ignore[arg-type]


def a_pool(lake: FakeLake) -> FakePool:
    return FakePool(timedelta, lake)


def turn(loop: ScheduleLoop, pool: FakePool, *ending: str) -> list[str]:
    """End the refreshes of these tables, and say which are at work then."""
    for each in [each for each in pool.running if each.table.id in ending]:
        pool.running.remove(each)
        each.future.set_result(each.work())
    loop._look()
    loop._advance(pool)  # type: ignore[arg-type]
    return sorted(each.table.id for each in pool.running)


def run_until_idle(loop: ScheduleLoop) -> list[str]:
    done = set[str]()
    loop.run_until_idle(None, done)
    return sorted(done)


def fail(lake: FakeLake, *tables: str) -> None:
    def fault(place: str, table_id: str) -> None:
        if table_id in tables:
            raise UserError("NO_TRANSACTIONS")

    lake.faults = fault


def test_a_run_until_idle_refreshes_what_is_due_once(lake: FakeLake) -> None:
    assert run_until_idle(loop_of(lake)) == ["a", "b", "d", "x"]
    assert run_until_idle(loop_of(lake)) == []
    lake.at += timedelta(minutes=90)
    assert run_until_idle(loop_of(lake)) == ["a", "b", "d", "x"]
    assert run_until_idle(loop_of(lake)) == []


def test_siblings_run_side_by_side_up_to_the_places_of_their_cluster(lake: FakeLake) -> None:
    loop, pool = loop_of(lake), a_pool(lake)
    lake.tables["y"] = replace(lake.tables["x"], id="y")
    lake.made_of["y"] = [{}]
    assert turn(loop, pool) == ["a", "b", "x"]
    assert turn(loop, pool, "x") == ["a", "b", "y"]
    assert turn(loop, pool, "a") == ["b", "y"]
    assert turn(loop, pool, "b") == ["d", "y"]


def test_clusters_do_not_wait_for_each_other(lake: FakeLake) -> None:
    elsewhere = replace(MINUTE, vcluster="ETL")
    lake.tables["y"] = replace(lake.tables["x"], id="y", schedule=elsewhere)
    lake.made_of["y"] = [{}]
    assert turn(loop_of(lake), a_pool(lake)) == ["a", "b", "x", "y"]


def test_a_failure_skips_what_reads_the_table_and_says_so(lake: FakeLake) -> None:
    said = list[tuple[str, str]]()
    fail(lake, "a")
    loop = loop_of(lake, fail=lambda table, reason: said.append((table.id, reason)))
    assert run_until_idle(loop) == ["a", "b", "x"]
    assert said[0][0] == "a"
    assert said[0][1].startswith("NO_TRANSACTIONS: ")
    assert said[1:] == [("d", "public.a, which it reads, could not be refreshed")]
    assert lake.tables["a"].failures == 1


def test_five_failures_suspend_and_mark_and_resume_mends(lake: FakeLake) -> None:
    fail(lake, "a")
    for _ in range(FAILURES_TO_SUSPEND):
        lake.at += timedelta(minutes=10)
        run_until_idle(loop_of(lake))
    assert lake.tables["a"].suspended_by_failures
    lake.at += timedelta(minutes=10)
    assert run_until_idle(loop_of(lake)) == ["b", "x"]
    assert lake.tables["d"].suspended_reason == "public.a, which it reads, is suspended"
    assert not lake.tables["d"].suspended
    fail(lake)
    lake.tables["a"] = replace(
        lake.tables["a"], suspended=False, suspended_reason=None, failures=0, not_before=None
    )
    # `b` is on one of the two ways from `d` to s.
    assert run_until_idle(loop_of(lake)) == ["a", "b", "d"]
    assert lake.tables["d"].suspended_reason is None


def test_a_wave_reads_what_was_there_when_it_began(lake: FakeLake) -> None:
    loop, pool = loop_of(lake), a_pool(lake)
    assert turn(loop, pool) == ["a", "b", "x"]
    turn(loop, pool, "a")
    lake.plain["s"] += 1
    turn(loop, pool, "b", "x")
    turn(loop, pool, "d")
    assert lake.plain_versions("d", 1) == {"s": {1}}


def test_what_reads_a_table_that_was_refreshed_by_hand_meanwhile_is_skipped(
    lake: FakeLake,
) -> None:
    said = list[str]()
    loop = loop_of(lake, fail=lambda table, reason: said.append(f"{table.name}: {reason}"))
    lake.tables["a"] = replace(lake.tables["a"], schedule=replace(MINUTE, vcluster="ETL"))
    pool = a_pool(lake)
    assert turn(loop, pool) == ["a", "b", "x"]
    turn(loop, pool, "b", "x")
    lake.plain["s"] += 1
    lake.refresh_by_hand("a")
    turn(loop, pool, "a")
    assert said == ["public.d: public.a, which it reads, was changed by something else meanwhile"]
    # The next wave takes the whole diamond.
    assert turn(loop, pool) == ["a", "b"]
    turn(loop, pool, "a", "b")
    turn(loop, pool, "d")
    assert lake.plain_versions("d", lake.version("d")) == {"s": {2}}


def test_a_table_that_somebody_refreshes_by_hand_is_left_alone_and_shown(lake: FakeLake) -> None:
    told = list[Told]()
    lake.by_hand.add("x")
    assert turn(loop_of(lake, tell=told.append), a_pool(lake)) == ["a", "b"]
    assert [held.table.id for held in told[-1].held] == ["x"]
    assert told[-1].tables == 4


def test_a_loop_that_is_stopped_ends_what_it_began_and_begins_nothing_more(lake: FakeLake) -> None:
    stop, begun = threading.Event(), list[str]()

    def run(table: ScheduledTable, pins: WavePins) -> Any:
        begun.append(table.id)
        stop.set()
        return lake.run(table, pins)

    loop = ScheduleLoop(lake, run)  # type: ignore[arg-type]
    thread = threading.Thread(target=loop.run_forever, args=(stop,))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert "d" not in begun
    assert all(lake.frontiers[id] == {"s": 1} for id in begun)


def test_a_bug_is_a_failure_of_the_table_and_not_of_the_loop(lake: FakeLake) -> None:
    def run(table: ScheduledTable, pins: WavePins) -> Any:
        raise ZeroDivisionError

    assert run_until_idle(ScheduleLoop(lake, run)) == ["a", "b", "x"]  # type: ignore[arg-type]
    assert lake.tables["x"].failures == 1


def test_a_table_that_is_suspended_while_it_waits_is_not_refreshed(lake: FakeLake) -> None:
    said = list[str]()
    loop, pool = loop_of(lake, fail=lambda table, reason: said.append(table.id)), a_pool(lake)
    assert turn(loop, pool) == ["a", "b", "x"]
    lake.tables["a"] = replace(lake.tables["a"], suspended=True)
    turn(loop, pool, "a", "b", "x")
    assert said == ["a", "d"]
    assert "a" not in lake.frontiers


def test_a_run_until_idle_ends_although_a_table_is_always_overtaken(lake: FakeLake) -> None:
    tried = list[str]()

    def run(table: ScheduledTable, pins: WavePins) -> Any:
        tried.append(table.id)
        if table.id == "x":
            raise TransientError("REFRESH_RUNNING", table="x", job="j")
        return lake.run(table, pins)

    assert run_until_idle(ScheduleLoop(lake, run)) == ["a", "b", "d", "x"]  # type: ignore[arg-type]
    assert tried.count("x") == 3
    assert lake.tables["x"].failures == 0
