"""Tasks on a made-up machine: time passes, attempts fail, processes die at any step.

The rules and the catalog are the real ones, on SQLite; what is made up is the clock, and what an
attempt does. Whatever happens, an instance never begins before what it waits for is done, no two
attempts of it are at work at once, and in the end every instance has ended.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.tasks.definitions import START, WORKSPACE, a_task

from headwater.catalog.store import Store
from headwater.catalog.tasks import (
    DONE_STATES,
    INTERRUPTED,
    InstanceState,
    Task,
    TaskInstance,
    failed,
)
from headwater.tasks.dependencies import overlapping
from headwater.tasks.step import due_instances, horizon, judge
from headwater.tasks.times import previous_time, times_between

MINUTE = timedelta(minutes=1)
END = timedelta(minutes=70)


class Died(Exception):
    """The process is gone, in the middle of whatever it did."""


@dataclass(slots=True)
class Machine:
    """One process after the other, each with the next fencing number, over one catalog."""

    store: Store
    chance: random.Random
    at: datetime = START
    fencing: int = 1
    risk: float = 0.02
    running: dict[str, TaskInstance] = field(default_factory=dict)
    begun: Counter[tuple[str, int]] = field(default_factory=Counter)
    ids: itertools.count[int] = field(default_factory=itertools.count)

    def maybe_die(self) -> None:
        if self.chance.random() < self.risk:
            raise Died

    def step(self) -> None:
        """What a look of the loop does, with places to die at between its writes."""
        instances, tasks = self.store.task_instances, self.store.tasks.list()
        for made in due_instances(tasks, self.at, lambda: f"i{next(self.ids)}", most=3):
            self.maybe_die()
            instances.add(made.instances, task_id=made.task.id, generated_to=made.generated_to)
        self.settle(tasks)
        found = instances.open()
        since = horizon(tasks, found)
        if since is None:
            return
        verdicts = judge(tasks, found, instances.states_since(since), self.at)
        for instance, reason in verdicts.failed:
            after = replace(instance, state=InstanceState.FAILED, error=reason, ended_at=self.at)
            instances.move(instance, after)
        for instance in verdicts.ready:
            self.maybe_die()
            ready = replace(instance, state=InstanceState.READY)
            if instance.state is InstanceState.READY or instances.move(instance, ready):
                self.begin(ready, tasks)

    def settle(self, tasks: list[Task]) -> None:
        by_id = {task.id: task for task in tasks}
        for instance in self.store.task_instances.open():
            if instance.state is InstanceState.RUNNING and instance.id not in self.running:
                assert instance.fencing != self.fencing
                self.maybe_die()
                after = failed(instance, by_id[instance.task_id].current, self.at, INTERRUPTED)
                self.store.task_instances.move(instance, after)

    def begin(self, instance: TaskInstance, tasks: list[Task]) -> None:
        begun = self.store.task_instances.begin(
            instance, self.at, fencing=self.fencing, check_lease=lambda own: None
        )
        assert begun is not None
        self.maybe_die()
        self.begun[begun.id, begun.attempt] += 1
        assert begun.id not in self.running
        self.require_allowed(begun, {task.id: task for task in tasks})
        self.running[begun.id] = begun

    def require_allowed(self, instance: TaskInstance, tasks: dict[str, Task]) -> None:
        """The law, worked out anew from the whole history."""
        task = tasks[instance.task_id]
        known = self.store.task_instances.states_since(START - timedelta(days=2))
        by_name = {other.name: other for other in tasks.values()}
        assert instance.plan_at <= self.at
        for name in task.current.after:
            upstream = by_name[name]
            for moment in overlapping(task.current.cycle, upstream.current.cycle, instance.plan_at):
                if moment > START:
                    assert known.get((upstream.id, "", moment)) in DONE_STATES
        if task.current.self_dependent:
            before = previous_time(task.current.cycle, instance.plan_at, not_before=START)
            assert before is None or known[task.id, "", before] in DONE_STATES

    def work(self) -> None:
        """Some of what runs ends, well or not."""
        tasks = {task.id: task for task in self.store.tasks.list()}
        for instance in list(self.running.values()):
            fate = self.chance.random()
            if fate < 0.3:
                continue
            self.maybe_die()
            after = replace(instance, state=InstanceState.SUCCEEDED, ended_at=self.at)
            if fate < 0.45:
                after = failed(instance, tasks[instance.task_id].current, self.at, "x")
            del self.running[instance.id]
            assert self.store.task_instances.move(instance, after)

    def live(self, until: datetime) -> None:
        while self.at < until:
            try:
                self.step()
                self.work()
            except Died:
                self.running.clear()
                self.fencing += 1
            self.at += self.chance.choice((MINUTE / 4, MINUTE, 3 * MINUTE))

    def help(self) -> None:
        """A person sets what failed to success."""
        for instance in self.store.task_instances.list():
            if instance.state is InstanceState.FAILED:
                after = replace(instance, state=InstanceState.SUCCEEDED)
                self.store.task_instances.move(instance, after)


@pytest.mark.laws
@pytest.mark.parametrize("round", range(3))
def test_whatever_dies_dependencies_hold_and_nothing_runs_twice_or_is_lost(round: int) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    store, _ = emptied_store()
    store.workspaces.ensure(WORKSPACE)
    cycles = ["EVERY 5 MINUTES", "EVERY 10 MINUTES", "EVERY 20 MINUTES", "EVERY 1 HOUR AT ':07'"]
    names = [f"t{number}" for number in range(5)]
    for place, name in enumerate(names):
        task = a_task(
            name,
            chance.choice(cycles),
            after=tuple(chance.sample(names[:place], min(place, chance.randrange(3)))),
            self_dependent=chance.random() < 0.4,
            retries=chance.randrange(3),
            retry_seconds=chance.choice((0, 60)),
        )
        store.tasks.create(task)
        store.tasks.submit(replace(task, state=task.state.OFFLINE), START, by="ada")
    machine = Machine(store, chance)
    machine.live(START + END / 2)
    # At least once, whatever chance says.
    machine.running.clear()
    machine.fencing += 1
    machine.live(START + END)
    # From now on nothing dies, and somebody looks after what failed.
    machine.risk = 0.0
    for _ in range(150):
        machine.help()
        machine.step()
        machine.work()
        machine.at += MINUTE
        if all(instance.plan_at > START + END for instance in store.task_instances.open()):
            break
    assert len(machine.begun) >= len(names)
    assert max(machine.begun.values()) == 1
    # Later ones may be at work when the test stops looking.
    ended = [i for i in store.task_instances.list() if i.plan_at <= START + END]
    assert {instance.state for instance in ended} <= DONE_STATES | {InstanceState.FAILED}
    tasks = {task.id: task for task in store.tasks.list()}
    for task in tasks.values():
        made = sorted(i.plan_at for i in store.task_instances.list(task_id=task.id))
        assert task.generated_to is not None
        wanted = list(times_between(task.current.cycle, START, task.generated_to))
        assert made == wanted, "an instance is missing or there twice"
    late = [i for i in store.task_instances.open() if i.plan_at <= START + END]
    assert late == []
