"""SUBMIT TASK: the draft becomes the version that runs."""

from __future__ import annotations

from headwater.catalog.tasks import Task, TaskKind, TaskState
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.tasks import SubmitTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.statements.task_rights import require_own
from headwater.tasks.dependencies import find_circle, in_order


def submit_task(context: Context, statement: SubmitTask) -> Result:
    """Submit tasks together: all of them, or none."""
    tasks = {task.name: task for task in (find_task(context, name) for name in statement.names)}
    for task in tasks.values():
        require_own(context, task)
    _require_runnable(context, tasks)
    store, at, said = context.store, now(), list[str]()
    with store.begin() as transaction:
        for name in in_order({name: task.draft.after for name, task in tasks.items()}):
            task = tasks[name]
            if task.draft != task.deployed:
                version = store.tasks.submit(
                    task, at, by=context.session.user, connection=transaction
                )
                said.append(f"task {name} submitted as version {version}")
            elif task.state is TaskState.OFFLINE:
                store.tasks.put_online(task.id, at, connection=transaction)
                said.append(f"task {name} is online again with version {task.version}")
            else:
                said.append(f"task {name} is as it was submitted, version {task.version}")
    return Result(message="; ".join(said))


def _require_runnable(context: Context, submitted: dict[QualifiedName, Task]) -> None:
    """What a task comes after must make instances, and nobody may wait for himself."""
    others = {task.name: task for task in context.store.tasks.list()}
    for task in submitted.values():
        for upstream in task.draft.after:
            known = others.get(upstream)
            if known is None:
                raise UserError("TASK_NOT_FOUND", name=upstream)
            kind = known.draft.kind if upstream in submitted else known.current.kind
            if kind is TaskKind.DYNAMIC_TABLE:
                raise UserError("TASK_NO_NODE", name=upstream)
            if upstream not in submitted and known.state is TaskState.OFFLINE:
                raise UserError("TASK_UPSTREAM_OFFLINE", name=task.name, upstream=upstream)
    after = {
        name: task.draft.after if name in submitted else task.current.after
        for name, task in others.items()
    }
    circle = find_circle(after)
    if circle is not None:
        raise UserError("TASK_CIRCLE", circle=" after ".join(str(part) for part in circle))
