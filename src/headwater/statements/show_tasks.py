"""SHOW TASKS."""

from __future__ import annotations

from headwater.catalog.tasks import Task, TaskState
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.tasks import ShowTasks
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.tasks.times import next_time

COLUMNS = (
    Column("folder", "string"),
    Column("name", "string"),
    Column("kind", "string"),
    Column("state", "string"),
    Column("version", "int"),
    Column("changed", "boolean"),
    Column("schedule", "string"),
    Column("after", "string"),
    Column("virtual_cluster", "string"),
    Column("owner", "string"),
    Column("next_plan_time", "timestamp"),
    Column("last_plan_time", "timestamp"),
    Column("last_state", "string"),
    Column("comment", "string"),
)
_NAME = 1


def show_tasks(context: Context, statement: ShowTasks) -> Result:
    """The tasks of the workspace, or of a folder."""
    last = context.store.task_instances.last_ended()
    rows = []
    for task in context.store.tasks.list(context.session.workspace):
        if statement.folder is None or statement.folder == task.name.schema:
            ended = last.get(task.id)
            at = None if ended is None else context.session.local(ended.plan_at)
            state = None if ended is None else ended.state.value
            rows.append(_row(context, task, (at, state)))
    return filtered(context, COLUMNS, rows, statement.filter, like_column=_NAME)


def _row(context: Context, task: Task, last: Row) -> Row:
    current = task.current
    online = task.state is TaskState.ONLINE
    following = next_time(current.cycle, now()) if online else None
    return (
        task.name.schema,
        task.name.name,
        current.kind.value,
        task.state.value,
        task.version,
        task.draft != task.deployed,
        current.cycle.to_sql().removeprefix("SCHEDULE (").removesuffix(")"),
        ", ".join(str(name) for name in current.after) or None,
        current.vcluster,
        task.owner,
        context.session.local(following),
        *last,
        current.comment,
    )
