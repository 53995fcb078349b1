"""DESC TASK INSTANCE."""

from __future__ import annotations

from headwater.catalog.tasks import InstanceState, TaskInstance
from headwater.result import Result, string_columns
from headwater.runtime.clock import now
from headwater.sql.task_instances import DescTaskInstance
from headwater.statements.context import Context
from headwater.statements.find_task import find_instance
from headwater.statements.info_rows import info_rows
from headwater.tasks.step import horizon, judge


def desc_task_instance(context: Context, statement: DescTaskInstance) -> Result:
    """What became of an instance, with its log; of one that waits also for what."""
    task, instance = find_instance(context, statement.id)
    local = context.session.local
    rows = info_rows(
        instance_id=instance.id,
        task=task.name,
        plan_time=local(instance.plan_at),
        state=instance.state.value,
        waits_for=_waits_for(context, instance),
        triggered_by=instance.trigger.value,
        run=instance.run or None,
        version=instance.version,
        attempt=instance.attempt,
        retries_left=instance.retries_left,
        next_try_time=local(instance.not_before),
        start_time=local(instance.started_at),
        end_time=local(instance.ended_at),
        error_message=instance.error,
        job_ids=",".join(instance.job_ids) or None,
        log=instance.log or None,
    )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _waits_for(context: Context, instance: TaskInstance) -> str | None:
    if instance.state is not InstanceState.WAITING:
        return None
    tasks = context.store.tasks.list()
    since = horizon(tasks, [instance])
    known = {} if since is None else context.store.task_instances.states_since(since)
    found = judge(tasks, context.store.task_instances.open(), known, now())
    return found.reasons.get(instance.id)
