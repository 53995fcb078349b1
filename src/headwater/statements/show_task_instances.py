"""SHOW TASK INSTANCES."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.task_instances import ShowTaskInstances
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.find_task import find_task

COLUMNS = (
    Column("instance_id", "string"),
    Column("folder", "string"),
    Column("task_name", "string"),
    Column("plan_time", "timestamp"),
    Column("state", "string"),
    Column("triggered_by", "string"),
    Column("run", "string"),
    Column("version", "int"),
    Column("attempt", "int"),
    Column("start_time", "timestamp"),
    Column("end_time", "timestamp"),
    Column("error_message", "string"),
    Column("job_ids", "string"),
)
_TASK_NAME = 2


def show_task_instances(context: Context, statement: ShowTaskInstances) -> Result:
    """The instances of the workspace, or of a task, the latest plan time first."""
    tasks = {task.id: task for task in context.store.tasks.list(context.session.workspace)}
    one = None if statement.name is None else find_task(context, statement.name).id
    local = context.session.local
    rows = [
        (
            instance.id,
            tasks[instance.task_id].name.schema,
            tasks[instance.task_id].name.name,
            local(instance.plan_at),
            instance.state.value,
            instance.trigger.value,
            instance.run or None,
            instance.version,
            instance.attempt,
            local(instance.started_at),
            local(instance.ended_at),
            instance.error,
            ",".join(instance.job_ids) or None,
        )
        for instance in context.store.task_instances.list(task_id=one)
        if instance.task_id in tasks
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=_TASK_NAME)
