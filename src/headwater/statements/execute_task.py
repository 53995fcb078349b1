"""EXECUTE TASK: one instance, now, whatever its schedule says."""

from __future__ import annotations

import uuid

from headwater.catalog.tasks import TaskInstance, Trigger
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.tasks import ExecuteTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.statements.plan_times import plan_time


def execute_task(context: Context, statement: ExecuteTask) -> Result:
    """Ask the loop to run a task once; before it was ever submitted, its draft."""
    task, at = find_task(context, statement.name), now()
    zone = task.current.cycle.time_zone or context.session.time_zone
    plan_at = at
    if statement.at is not None:
        plan_at = plan_time(statement.at, zone, span=statement.at_span)
    run = uuid.uuid4().hex
    instance = TaskInstance(
        id=run,
        task_id=task.id,
        plan_at=plan_at,
        created_at=at,
        waiting_since=at,
        trigger=Trigger.MANUAL,
        run=run,
        version=task.version,
        retries_left=task.current.retries,
    )
    context.store.task_instances.add([instance])
    return Result(
        message=f"task {task.name} runs as instance {run}, while `headwater run` is at work"
    )
