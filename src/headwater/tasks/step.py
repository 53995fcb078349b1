"""One look at all tasks: which instances there must be, and what becomes of those that wait. Pure.

Law: a step follows from the catalog and the time alone. A process that dies between two steps, or
in one, leaves nothing that the next look would not find.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from headwater.catalog.tasks import (
    InstanceState,
    Task,
    TaskInstance,
    TaskKind,
    TaskState,
)
from headwater.tasks.readiness import Known, Verdict, World, readiness
from headwater.tasks.times import period_of, times_between

_WAITING = (InstanceState.WAITING, InstanceState.READY)
MOST_AT_ONCE = 500
"""Instances of one task that a look makes; after a long rest the rest comes with the next looks."""


@dataclass(frozen=True, slots=True)
class Made:
    """New instances of a task, and up to when it now has them all."""

    task: Task
    instances: tuple[TaskInstance, ...]
    generated_to: datetime


@dataclass(slots=True)
class Verdicts:
    """What is to become of instances that wait; `reasons` of those that go on waiting."""

    ready: list[TaskInstance] = field(default_factory=list)
    skipped: list[tuple[TaskInstance, str]] = field(default_factory=list)
    failed: list[tuple[TaskInstance, str]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


def due_instances(
    tasks: Iterable[Task], at: datetime, new_id: Callable[[], str], *, most: int = MOST_AT_ONCE
) -> list[Made]:
    """The instances whose time has come since the last look."""
    return [
        made
        for task in tasks
        if task.state is not TaskState.OFFLINE and task.deployed is not None
        if (made := _made(task, at, new_id, most)) is not None
    ]


def _made(task: Task, at: datetime, new_id: Callable[[], str], most: int) -> Made | None:
    assert task.deployed is not None
    since = task.generated_to or task.online_since or at
    moments = list(islice(times_between(task.deployed.cycle, since, at), most))
    if not moments:
        return None
    reached = moments[-1]
    if task.deployed.kind is TaskKind.DYNAMIC_TABLE:
        # One refresh makes up for all that were missed, and nothing waits for the others.
        moments = moments[-1:]
    made = tuple(new_instance(task, moment, at, new_id()) for moment in moments)
    return Made(task, made, reached)


def new_instance(task: Task, plan_at: datetime, at: datetime, id: str) -> TaskInstance:
    """An instance of the schedule."""
    return TaskInstance(
        id=id,
        task_id=task.id,
        plan_at=plan_at,
        created_at=at,
        waiting_since=max(plan_at, at),
        version=task.version,
        retries_left=task.current.retries,
    )


def horizon(tasks: Collection[Task], waiting: Iterable[TaskInstance]) -> datetime | None:
    """From which plan time on states must be known to judge what waits; None if nothing does."""
    by_id = {task.id: task for task in tasks}
    first = [
        period_of(by_id[i.task_id].current.cycle, i.plan_at)[0]
        for i in waiting
        if i.task_id in by_id
    ]
    # The day around a period, and the previous instance of a task that does not run every day.
    return min(first) - timedelta(days=32) if first else None


def judge(
    tasks: Sequence[Task],
    instances: Sequence[TaskInstance],
    known: Known,
    at: datetime,
    *,
    busy: Collection[str] = (),
) -> Verdicts:
    """What is to become of the instances that have not begun, the oldest first.

    Those that were found ready before are judged again: much may have changed meanwhile.
    """
    by_id = {task.id: task for task in tasks}
    at_work = {i.task_id for i in instances if i.state is InstanceState.RUNNING} | set(busy)
    world = World({task.name: task for task in tasks}, known, at_work)
    found = Verdicts()
    waiting = [i for i in instances if i.state in _WAITING and i.task_id in by_id]
    for instance in sorted(waiting, key=lambda i: (i.plan_at, i.created_at, i.id)):
        answer = readiness(by_id[instance.task_id], instance, at, world)
        match answer.verdict:
            case Verdict.READY:
                found.ready.append(instance)
                at_work.add(instance.task_id)
            case Verdict.SKIP:
                found.skipped.append((instance, answer.reason))
            case Verdict.FAIL:
                found.failed.append((instance, answer.reason))
            case Verdict.WAIT:
                found.reasons[instance.id] = answer.reason
    return found
