"""When an instance may begin, and why not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.unit.tasks.definitions import START, a_task, an_instance

from headwater.catalog.tasks import InstanceState, Task, TaskKind, TaskState, Trigger, failed
from headwater.sql.task_clauses import RerunPolicy
from headwater.tasks.readiness import Answer, Known, Verdict, World, readiness
from headwater.tasks.step import due_instances, judge

T1, T2 = START + timedelta(minutes=5), START + timedelta(minutes=10)
MINUTE = timedelta(minutes=1)


def world(*tasks: Task, known: Known | None = None, busy: tuple[str, ...] = ()) -> World:
    return World({task.name: task for task in tasks}, known or {}, busy)


def test_a_task_without_dependencies_waits_for_its_time() -> None:
    task = a_task()
    instance = an_instance(task, T1)
    assert readiness(task, instance, T1 - MINUTE, world(task)).verdict is Verdict.WAIT
    assert readiness(task, instance, T1, world(task)) == Answer(Verdict.READY)


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        (None, Verdict.WAIT),
        (InstanceState.RUNNING, Verdict.WAIT),
        (InstanceState.FAILED, Verdict.WAIT),
        (InstanceState.TERMINATED, Verdict.WAIT),
        (InstanceState.SUCCEEDED, Verdict.READY),
        (InstanceState.SKIPPED, Verdict.READY),
    ],
)
def test_an_instance_waits_for_the_success_of_what_is_before_it(
    state: InstanceState | None, verdict: Verdict
) -> None:
    up, task = a_task("up"), a_task("t", after=("up",))
    known = {} if state is None else {("up", "", T1): state}
    answer = readiness(task, an_instance(task, T1), T1, world(up, task, known=known))
    assert answer.verdict is verdict


def test_what_was_before_the_upstream_task_was_submitted_is_not_waited_for() -> None:
    up, task = a_task("up", since=T1), a_task("t", after=("up",))
    assert readiness(task, an_instance(task, T1), T1, world(up, task)).verdict is Verdict.READY
    assert readiness(task, an_instance(task, T2), T2, world(up, task)).verdict is Verdict.WAIT


def test_a_self_dependent_task_waits_for_its_own_last_instance() -> None:
    task = a_task(self_dependent=True)
    first, second = an_instance(task, T1), an_instance(task, T2)
    assert readiness(task, first, T2, world(task)).verdict is Verdict.READY
    failed_before = world(task, known={("a", "", T1): InstanceState.FAILED})
    assert "FAILED" in readiness(task, second, T2, failed_before).reason
    done = {("a", "", T1): InstanceState.SUCCEEDED}
    assert readiness(task, second, T2, world(task, known=done)).verdict is Verdict.READY
    busy = world(task, known=done, busy=("a",))
    assert readiness(task, second, T2, busy).verdict is Verdict.WAIT


def test_who_waits_for_longer_than_three_days_has_failed() -> None:
    up, task = a_task("up"), a_task("t", after=("up",))
    instance = an_instance(task, T1)
    limit = timedelta(days=3)
    assert readiness(task, instance, T1 + limit, world(up, task)).verdict is Verdict.WAIT
    answer = readiness(task, instance, T1 + limit + MINUTE, world(up, task))
    assert answer.verdict is Verdict.FAIL
    assert "too long" in answer.reason


def test_late_runs_are_skipped_if_the_task_says_so() -> None:
    task = a_task(skip_seconds=600)
    assert readiness(task, an_instance(task, T1), T1 + 10 * MINUTE, world(task)).verdict is (
        Verdict.READY
    )
    late = T1 + 11 * MINUTE
    assert readiness(task, an_instance(task, T1), late, world(task)).verdict is Verdict.SKIP
    retried = an_instance(task, T1, attempt=1)
    assert readiness(task, retried, late, world(task)).verdict is Verdict.READY


def test_a_paused_task_begins_nothing_but_what_is_run_by_hand() -> None:
    task = a_task(state=TaskState.PAUSED)
    assert readiness(task, an_instance(task, T1), T2, world(task)).reason == "the task is paused"
    manual = an_instance(task, T1, trigger=Trigger.MANUAL, run="m")
    assert readiness(task, manual, T2, world(task)).verdict is Verdict.READY


def test_a_backfill_waits_only_inside_itself() -> None:
    up, task = a_task("up"), a_task("t", after=("up",))
    instance = an_instance(task, T1, trigger=Trigger.BACKFILL, run="b")
    assert readiness(task, instance, T2, world(up, task)).verdict is Verdict.READY
    waiting = {("up", "b", T1): InstanceState.WAITING, ("up", "", T1): InstanceState.SUCCEEDED}
    assert readiness(task, instance, T2, world(up, task, known=waiting)).verdict is Verdict.WAIT


def test_retries_are_counted_and_wait() -> None:
    task = a_task(retries=1, retry_seconds=60)
    running = an_instance(task, T1, state=InstanceState.RUNNING, attempt=1)
    again = failed(running, task.current, T2, "x")
    assert (again.state, again.retries_left) == (InstanceState.WAITING, 0)
    assert readiness(task, again, T2, world(task)).verdict is Verdict.WAIT
    assert readiness(task, again, T2 + MINUTE, world(task)).verdict is Verdict.READY
    assert failed(again, task.current, T2, "x").state is InstanceState.FAILED


def test_a_task_that_never_runs_again_is_not_retried() -> None:
    task = a_task(retries=3, rerun=RerunPolicy.NEVER)
    running = an_instance(task, T1, state=InstanceState.RUNNING)
    assert failed(running, task.current, T2, "x").state is InstanceState.FAILED


def test_missed_instances_are_made_up_for_but_those_of_dynamic_tables() -> None:
    at = START + timedelta(minutes=17)
    [made] = due_instances([a_task()], at, lambda: "id")
    assert [f"{i.plan_at:%M}" for i in made.instances] == ["05", "10", "15"]
    [made] = due_instances([a_task(kind=TaskKind.DYNAMIC_TABLE)], at, lambda: "id")
    assert [f"{i.plan_at:%M}" for i in made.instances] == ["15"]
    assert due_instances([a_task(state=TaskState.OFFLINE)], at, lambda: "id") == []
    [made] = due_instances([a_task()], at, lambda: "id", most=2)
    assert made.generated_to == START + timedelta(minutes=10)


def test_of_a_self_dependent_task_one_instance_is_ready_at_a_time() -> None:
    task = a_task(self_dependent=True, kind=TaskKind.DYNAMIC_TABLE)
    instances = [an_instance(task, T1), an_instance(task, T2)]
    found = judge([task], instances, {}, T2)
    assert [instance.plan_at for instance in found.ready] == [T1]
    running = [an_instance(task, T1, state=InstanceState.RUNNING), an_instance(task, T2)]
    assert judge([task], running, {}, T2).ready == []
