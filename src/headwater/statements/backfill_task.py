"""BACKFILL TASK: the instances of a range of plan times, once more or for the first time."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from itertools import islice

from headwater.catalog.tasks import Task, TaskInstance, Trigger
from headwater.errors import UserError
from headwater.names import counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.tasks import BackfillTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.statements.plan_times import plan_time
from headwater.tasks.dependencies import downstream_of
from headwater.tasks.times import times_between

_MOST = 10_000


def backfill_task(context: Context, statement: BackfillTask) -> Result:
    """Make the instances of one run; inside it they wait for each other as ever."""
    task, at = find_task(context, statement.name), now()
    zone = task.current.cycle.time_zone or context.session.time_zone
    first = plan_time(statement.first, zone, span=statement.first_span)
    last = plan_time(statement.last, zone, span=statement.last_span, end_of_day=True)
    meant = [task]
    if statement.with_downstream:
        meant += downstream_of(context.store.tasks.list(), task.name)
    run = uuid.uuid4().hex
    made = [
        _instance(one, moment, at, run)
        for one in meant
        for moment in islice(
            times_between(one.current.cycle, first - timedelta(microseconds=1), last), _MOST + 1
        )
    ]
    if len(made) > _MOST:
        raise UserError("TASK_BACKFILL_TOO_LARGE", most=_MOST)
    if not any(instance.task_id == task.id for instance in made):
        raise UserError(
            "TASK_BACKFILL_EMPTY", name=task.name, first=statement.first, last=statement.last
        )
    context.store.task_instances.add(made)
    tasks = f" of {counted(len(meant), 'task')}" if len(meant) > 1 else ""
    return Result(
        message=f"{counted(len(made), 'instance')}{tasks} to run, as run {run}",
        rowcount=len(made),
    )


def _instance(task: Task, moment: datetime, at: datetime, run: str) -> TaskInstance:
    return TaskInstance(
        id=uuid.uuid4().hex,
        task_id=task.id,
        plan_at=moment,
        created_at=at,
        waiting_since=at,
        trigger=Trigger.BACKFILL,
        run=run,
        version=task.version,
        retries_left=task.current.retries,
    )
