"""Whether an instance may begin now, and why not. Pure: the time is given.

Law: an instance begins when its time is reached, everything it waits for is done, and nobody holds
it back. What waits for longer than its limit has failed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from headwater.catalog.tasks import (
    DONE_STATES,
    FINAL_STATES,
    InstanceState,
    Task,
    TaskInstance,
    TaskKind,
    TaskState,
    Trigger,
)
from headwater.names import QualifiedName
from headwater.tasks.dependencies import overlapping
from headwater.tasks.times import previous_time

Known = Mapping[tuple[str, str, datetime], InstanceState]
"""The states of instances, by task, run and plan time."""


class Verdict(Enum):
    """What is to become of an instance that waits."""

    WAIT = auto()
    READY = auto()
    SKIP = auto()
    FAIL = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with its reason."""

    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """What stands beside an instance: all tasks by name, states of instances, tasks at work."""

    tasks: Mapping[QualifiedName, Task]
    known: Known
    busy: Collection[str] = ()
    """The ids of tasks of which an instance is about to run or runs."""


def readiness(task: Task, instance: TaskInstance, at: datetime, world: World) -> Answer:
    """What is to become of an instance that waits."""
    held = _held(task, instance, at, world)
    if held is None:
        return _late(task, instance, at) or Answer(Verdict.READY)
    limit = timedelta(seconds=task.current.wait_seconds)
    if at - instance.waiting_since > limit:
        return Answer(Verdict.FAIL, f"it has waited for too long: {held}")
    return Answer(Verdict.WAIT, held)


def _late(task: Task, instance: TaskInstance, at: datetime) -> Answer | None:
    """Who said that late runs are skipped means those that never began."""
    most = task.current.skip_seconds
    if most is None or instance.trigger is not Trigger.SCHEDULE or instance.attempt:
        return None
    if at - instance.plan_at <= timedelta(seconds=most):
        return None
    return Answer(Verdict.SKIP, "it would have begun too late")


def _held(task: Task, instance: TaskInstance, at: datetime, world: World) -> str | None:
    by_hand = instance.trigger is Trigger.MANUAL
    if at < instance.plan_at and instance.trigger is Trigger.SCHEDULE:
        return "its time has not come"
    if instance.not_before is not None and at < instance.not_before:
        return "it failed and is tried again later"
    if task.state is TaskState.PAUSED and instance.trigger is Trigger.SCHEDULE:
        return "the task is paused"
    if task.current.self_dependent and task.id in world.busy:
        return "another instance of the task is at work"
    if by_hand:
        return None
    return _previous(task, instance, world) or _upstream(task, instance, world)


def _previous(task: Task, instance: TaskInstance, world: World) -> str | None:
    definition = task.current
    if not definition.self_dependent:
        return None
    if definition.kind is TaskKind.DYNAMIC_TABLE:
        # A refresh makes up for the one that failed, so it waits for no success.
        return None
    since = _since(task, instance, world)
    before = previous_time(definition.cycle, instance.plan_at, not_before=since)
    if before is None:
        return None
    state = world.known.get((task.id, instance.run, before))
    if state in DONE_STATES or (instance.run and state is None):
        return None
    return f"its instance of {_shown(before)} {_in_words(state)}"


def _upstream(task: Task, instance: TaskInstance, world: World) -> str | None:
    for name in task.current.after:
        upstream = world.tasks.get(name)
        if upstream is None:
            return f"task {name}, which it comes after, is not there"
        if upstream.deployed is None and not instance.run:
            return f"task {name}, which it comes after, is not submitted"
        since = _since(upstream, instance, world)
        for moment in overlapping(task.current.cycle, upstream.current.cycle, instance.plan_at):
            state = world.known.get((upstream.id, instance.run, moment))
            if state is None and (instance.run or moment <= since):
                continue  # there is none: it would be from before the task was, or is not asked for
            if state not in DONE_STATES:
                return f"{name} of {_shown(moment)} {_in_words(state)}"
    return None


def _since(task: Task, instance: TaskInstance, world: World) -> datetime:
    """From when on a task has instances in a run; what is started by hand looks back one day."""
    if instance.run or task.online_since is None:
        return instance.plan_at - timedelta(days=366)
    return task.online_since


def _in_words(state: InstanceState | None) -> str:
    if state is None:
        return "is yet to come"
    return f"is {state.value}" if state not in FINAL_STATES else f"ended {state.value}"


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
