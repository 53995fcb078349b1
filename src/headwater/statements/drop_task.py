"""DROP TASK."""

from __future__ import annotations

from headwater.catalog.tasks import TaskState
from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.tasks import DropTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task, task_name
from headwater.statements.task_rights import require_own


def drop_task(context: Context, statement: DropTask) -> Result:
    """Forget a task that is offline, with its versions and instances."""
    name = task_name(context, statement.name)
    if statement.if_exists and context.store.tasks.get(name) is None:
        return Result(message=f"there is no task {name}")
    task = find_task(context, statement.name)
    require_own(context, task)
    if task.state is not TaskState.OFFLINE:
        raise UserError("TASK_ONLINE", name=name, state=task.state)
    after = [
        str(other.name)
        for other in context.store.tasks.list()
        if name in other.draft.after or name in other.current.after
    ]
    if after:
        raise UserError("TASK_HAS_DOWNSTREAM", name=name, downstream=", ".join(after))
    context.store.tasks.drop(task.id)
    return Result(message=f"task {name} dropped")
