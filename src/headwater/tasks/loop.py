"""The loop of tasks: looks once a second which instances may begin, and runs them.

Invariant: an instance runs once at a time. It is begun in a transaction that holds the lake's
lease, under the lease's number; what runs under an older number was left by a process that is gone.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from headwater.catalog.tasks import (
    INTERRUPTED,
    InstanceState,
    Task,
    TaskInstance,
    failed,
)
from headwater.errors import HeadwaterError, InternalError, TransientError, UserError
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.sql.task_clauses import duration_text
from headwater.tasks.attempt import Attempt
from headwater.tasks.step import Verdicts, due_instances, horizon, judge

_LOOK = 1.0
_STANDBY = 0.25
_MOST_TRIES = 60
"""How often the end of an attempt is tried to be stored, once a second."""
_MOST_AT_ONCE = 8
"""Scripts at work at the same time; the virtual clusters decide on the places of their jobs."""

RunAttempt = Callable[[Attempt], None]
"""Runs an attempt to its end; raises what goes wrong."""


@dataclass(slots=True)
class TaskLoop:
    """Runs the tasks of a lake when they are due."""

    lake: OpenLake
    run: RunAttempt
    tell: Callable[[Task, TaskInstance], None] = lambda task, instance: None
    """Told of instances that ended."""
    clock: Callable[[], datetime] = now
    _running: dict[str, tuple[Attempt, Future[None]]] = field(default_factory=dict)
    _begun: int = 0
    _woken: threading.Event = field(default_factory=threading.Event)

    def run_until_idle(
        self, stop: threading.Event | None = None, *, until: datetime | None = None
    ) -> int:
        """Run what is due at `until`, and what that lets begin; says how many attempts began."""
        until, before = until or self.clock(), self._begun
        with self._threads() as pool:
            try:
                while not (stop and stop.is_set()):
                    self.lake.writer.ensure()
                    self._look(pool, until=until)
                    if not self._running:
                        break
                    self._rest()
            finally:
                self._wait_for_all()
        return self._begun - before

    def run_forever(self, stop: threading.Event) -> None:
        """Run tasks when they are due, until `stop` is set; what is under way ends first."""
        with self._threads() as pool:
            while not stop.is_set():
                if self.lake.writer.fencing is None:
                    # Whoever runs the pipes beside this takes the lake, and repairs it first.
                    stop.wait(_STANDBY)
                    continue
                try:
                    self._look(pool)
                except TransientError:
                    stop.wait(_STANDBY)
                self._rest()
            self._wait_for_all()

    def cancel(self) -> None:
        """Cancel what runs now."""
        for attempt, _ in list(self._running.values()):
            attempt.cancel()

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="headwater-task")

    def _look(self, pool: ThreadPoolExecutor, *, until: datetime | None = None) -> None:
        """Make the instances of now, move on what waits, begin what may begin."""
        self._forget_ended()
        tasks = self.lake.store.tasks.list()
        if not tasks:
            return
        store, at = self.lake.store.task_instances, self.clock()
        for made in due_instances(tasks, until or at, lambda: uuid.uuid4().hex):
            store.add(made.instances, task_id=made.task.id, generated_to=made.generated_to)
        instances = store.open()
        self._watch(instances, at)
        by_id = {task.id: task for task in tasks}
        if self._settle_interrupted(instances, by_id, at):
            instances = store.open()
        since = horizon(tasks, instances)
        if since is not None:
            found = judge(tasks, instances, store.states_since(since), at)
            self._begin(pool, self._move(instances, found, at), by_id)

    def _settle_interrupted(
        self, instances: list[TaskInstance], tasks: dict[str, Task], at: datetime
    ) -> bool:
        """What runs under the lease of a process that is gone has failed, and may be retried."""
        left = [
            instance
            for instance in instances
            if instance.state is InstanceState.RUNNING
            and instance.id not in self._running
            and instance.fencing != self.lake.writer.fencing
        ]
        for instance in left:
            task = tasks[instance.task_id]
            after = failed(instance, task.current, at, INTERRUPTED)
            if self.lake.store.task_instances.move(instance, after):
                self.tell(task, after)
        return bool(left)

    def _watch(self, instances: list[TaskInstance], at: datetime) -> None:
        """Cancel attempts that somebody terminated, and those that take too long."""
        current = {i.id: i.attempt for i in instances if i.state is InstanceState.RUNNING}
        for id, (attempt, _) in self._running.items():
            if current.get(id) != attempt.instance.attempt:
                attempt.cancel()
            elif _takes_too_long(attempt, at):
                attempt.timed_out = True
                attempt.cancel()

    def _move(
        self, instances: list[TaskInstance], found: Verdicts, at: datetime
    ) -> list[TaskInstance]:
        """Store what was found; gives back what is ready."""
        store = self.lake.store.task_instances
        for state, judged in (
            (InstanceState.SKIPPED, found.skipped),
            (InstanceState.FAILED, found.failed),
        ):
            for instance, reason in judged:
                store.move(instance, replace(instance, state=state, error=reason, ended_at=at))
        for instance in instances:
            if instance.state is InstanceState.READY and instance.id in found.reasons:
                store.move(instance, replace(instance, state=InstanceState.WAITING))
        ready = list[TaskInstance]()
        for instance in found.ready:
            after = replace(instance, state=InstanceState.READY)
            if instance.state is InstanceState.READY or store.move(instance, after):
                ready.append(after)
        return ready

    def _begin(
        self, pool: ThreadPoolExecutor, ready: list[TaskInstance], tasks: dict[str, Task]
    ) -> None:
        lake = self.lake
        for instance in ready:
            fencing = lake.writer.fencing
            if len(self._running) >= _MOST_AT_ONCE or fencing is None:
                return
            if instance.id in self._running:
                continue  # its last attempt was terminated and has not stopped yet
            begun = lake.store.task_instances.begin(
                instance,
                self.clock(),
                fencing=fencing,
                check_lease=self._lease_check(fencing),
            )
            if begun is None:
                continue
            reach("task.begun")
            self._begun += 1
            attempt = self._attempt(tasks[begun.task_id], begun)
            future = pool.submit(self._do, attempt)
            future.add_done_callback(lambda _: self._woken.set())
            self._running[begun.id] = (attempt, future)

    def _lease_check(self, fencing: int) -> Callable[[Any], None]:
        lake = self.lake
        return lambda own: lake.store.lease.check(lake.instance.id, fencing, connection=own)

    def _attempt(self, task: Task, instance: TaskInstance) -> Attempt:
        definition = task.draft
        if instance.version is not None:
            version = self.lake.store.tasks.version(task.id, instance.version)
            definition = task.current if version is None else version.definition
        return Attempt(task, definition, instance, self.lake.store.task_instances.note)

    def _do(self, attempt: Attempt) -> None:
        error: HeadwaterError | None = None
        try:
            self.run(attempt)
        except HeadwaterError as raised:
            error = raised
        except Exception as raised:
            error = InternalError("BUG", problem=repr(raised))
        limit = attempt.definition.timeout_seconds
        if attempt.timed_out and error is not None and limit is not None:
            error = UserError("TASK_TIMEOUT", limit=duration_text(limit))
        reach("task.ended")
        for left in reversed(range(_MOST_TRIES)):
            try:
                self._end(attempt, error)
                return
            except TransientError:
                # The catalog is away: what nobody stores would be RUNNING for as long as the lease.
                if not left:
                    raise
                time.sleep(_LOOK)

    def _end(self, attempt: Attempt, error: HeadwaterError | None) -> None:
        """Store how an attempt ended, if it is still the one that counts."""
        store, at, instance = self.lake.store.task_instances, self.clock(), attempt.instance
        if error is None:
            after = replace(instance, state=InstanceState.SUCCEEDED, ended_at=at, error=None)
        else:
            shown = f"{error.condition}: {error.message}"
            attempt.say(f"failed: {shown}")
            after = failed(instance, attempt.definition, at, shown)
            after = replace(after, timed_out=attempt.timed_out)
        if store.move(instance, after):
            self.tell(attempt.task, after)

    def _forget_ended(self) -> None:
        for id, (_, future) in list(self._running.items()):
            if future.done():
                del self._running[id]
                future.result()

    def _rest(self) -> None:
        self._woken.wait(_LOOK)
        self._woken.clear()

    def _wait_for_all(self) -> None:
        for _, future in list(self._running.values()):
            future.exception()
        self._running.clear()


def _takes_too_long(attempt: Attempt, at: datetime) -> bool:
    limit, started = attempt.definition.timeout_seconds, attempt.instance.started_at
    if limit is None or started is None:
        return False
    return at - started > timedelta(seconds=limit)
