"""The store's instances of tasks.

Invariant: an instance moves along `tasks.NEXT_STATES`, and one attempt of it has one owner: it is
begun under the lease of the lake, and ended only by who began that attempt.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.task_model import task_instances, tasks
from headwater.catalog.tasks import (
    FINAL_STATES,
    OPEN_STATES,
    InstanceState,
    TaskInstance,
    Trigger,
    may_follow,
)

_FIELDS = tuple(field.name for field in fields(TaskInstance))
_C = task_instances.c
CheckLease = Callable[[Connection], None]
"""Raises LEASE_LOST, inside the transaction, unless this process holds the lake."""


class TaskInstances:
    """Makes instances, moves them on, and finds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        made: Iterable[TaskInstance],
        *,
        task_id: str | None = None,
        generated_to: datetime | None = None,
        connection: Connection | None = None,
    ) -> int:
        """Adds those that are not there yet, and notes up to when a task has them all."""
        added = 0
        with self._database.write(connection) as own:
            for instance in made:
                added += insert_unless_taken(own, task_instances, _values(instance))
            if task_id is not None:
                changed = update(tasks).where(tasks.c.id == task_id)
                own.execute(changed.values(generated_to=generated_to))
        return added

    def open(self) -> builtins.list[TaskInstance]:
        """Those that have not ended, by plan time; without their logs."""
        query = _without_log().where(_C.state.in_(OPEN_STATES)).order_by(_C.plan_at, _C.id)
        with self._database.read() as own:
            return [_instance(row) for row in own.execute(query)]

    def states_since(self, since: datetime) -> dict[tuple[str, str, datetime], InstanceState]:
        """The state of every instance with a plan time of `since` or later."""
        query = select(_C.task_id, _C.run, _C.plan_at, _C.state).where(_C.plan_at >= since)
        with self._database.read() as own:
            return {
                (row.task_id, row.run, row.plan_at): InstanceState(row.state)
                for row in own.execute(query)
            }

    def get(self, id: str, *, connection: Connection | None = None) -> TaskInstance | None:
        """The instance with that id, or None."""
        with self._database.read(connection) as own:
            row = own.execute(select(task_instances).where(_C.id == id)).one_or_none()
        return None if row is None else _instance(row)

    def list(
        self,
        *,
        task_id: str | None = None,
        run: str | None = None,
        ended_since: datetime | None = None,
        limit: int | None = None,
    ) -> builtins.list[TaskInstance]:
        """Instances without their logs, the latest plan time first."""
        query = _without_log().order_by(_C.plan_at.desc(), _C.created_at.desc(), _C.id)
        if task_id is not None:
            query = query.where(_C.task_id == task_id)
        if run is not None:
            query = query.where(_C.run == run)
        if ended_since is not None:
            query = query.where(_C.ended_at >= ended_since)
        with self._database.read() as own:
            return [_instance(row) for row in own.execute(query.limit(limit))]

    def move(
        self, before: TaskInstance, after: TaskInstance, *, connection: Connection | None = None
    ) -> bool:
        """Stores an instance in another state, if it is still as it was read; says whether."""
        assert may_follow(before.state, after.state), (before.state, after.state)
        same = update(task_instances).where(
            _C.id == before.id, _C.state == before.state, _C.attempt == before.attempt
        )
        with self._database.write(connection) as own:
            return own.execute(same.values(_changes(before, after))).rowcount == 1

    def begin(
        self, instance: TaskInstance, at: datetime, *, fencing: int, check_lease: CheckLease
    ) -> TaskInstance | None:
        """Begins the next attempt of one that is READY; None if somebody was faster."""
        changed = update(task_instances).where(
            _C.id == instance.id,
            _C.state == InstanceState.READY,
            _C.attempt == instance.attempt,
        )
        values = {
            "state": InstanceState.RUNNING,
            "attempt": instance.attempt + 1,
            "fencing": fencing,
            "started_at": at,
            "ended_at": None,
            "error": None,
            "timed_out": False,
        }
        with self._database.write() as own:
            check_lease(own)
            if own.execute(changed.values(values)).rowcount != 1:
                return None
            return self.get(instance.id, connection=own)

    def note(self, instance: TaskInstance, job_ids: Sequence[str], log: str) -> bool:
        """Keeps what an attempt has done so far; False when it is no longer the one that runs."""
        changed = update(task_instances).where(
            _C.id == instance.id,
            _C.state == InstanceState.RUNNING,
            _C.attempt == instance.attempt,
        )
        with self._database.write() as own:
            values = {"job_ids": [*job_ids], "log": log}
            return own.execute(changed.values(values)).rowcount == 1

    def last_ended(self) -> Mapping[str, TaskInstance]:
        """Of each task the instance of the schedule that ended last, without its log."""
        found: dict[str, TaskInstance] = {}
        query = _without_log().where(_C.trigger == Trigger.SCHEDULE, _C.state.in_(FINAL_STATES))
        with self._database.read() as own:
            for row in own.execute(query.order_by(_C.plan_at)):
                found[row.task_id] = _instance(row)
        return found

    def troubled(self, since: datetime) -> builtins.list[TaskInstance]:
        """Those that failed or took too long, and ended at `since` or later; without logs."""
        trouble = (_C.state == InstanceState.FAILED) | _C.timed_out
        query = _without_log().where(trouble, _C.ended_at >= since).order_by(_C.ended_at, _C.id)
        with self._database.read() as own:
            return [_instance(row) for row in own.execute(query)]

    def delete_before(self, when: datetime) -> int:
        """Forgets what ended before `when`, and says how many."""
        statement = delete(task_instances).where(
            _C.ended_at < when, _C.state.in_(FINAL_STATES), _C.plan_at < when
        )
        with self._database.write() as own:
            return own.execute(statement).rowcount


def _without_log() -> Any:
    return select(*(_C[name] for name in _FIELDS if name != "log"))


def _values(instance: TaskInstance) -> dict[str, Any]:
    values = {name: getattr(instance, name) for name in _FIELDS}
    return {**values, "job_ids": [*instance.job_ids]}


def _changes(before: TaskInstance, after: TaskInstance) -> dict[str, Any]:
    """What differs: a log that was not read is not written."""
    values = _values(after)
    return {
        name: value
        for name, value in values.items()
        if getattr(before, name) != getattr(after, name)
    }


def _instance(row: Row[Any]) -> TaskInstance:
    stored = {name: getattr(row, name) for name in _FIELDS if name in row._fields}
    stored["state"] = InstanceState(row.state)
    stored["trigger"] = Trigger(row.trigger)
    stored["job_ids"] = tuple(row.job_ids)
    return TaskInstance(**stored)
