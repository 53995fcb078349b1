"""The task that a statement names; a name without a folder is in the default one."""

from __future__ import annotations

from headwater.catalog.tasks import DEFAULT_FOLDER, Task, TaskInstance
from headwater.errors import UserError
from headwater.names import ObjectName, QualifiedName, did_you_mean
from headwater.statements.context import Context


def task_name(context: Context, name: ObjectName) -> QualifiedName:
    """The full name of a task."""
    return name.qualified(workspace=context.session.workspace, schema=DEFAULT_FOLDER)


def find_task(context: Context, name: ObjectName) -> Task:
    """The task of that name, or TASK_NOT_FOUND with the nearest one."""
    full = task_name(context, name)
    found = context.store.tasks.get(full)
    if found is not None:
        return found
    known = [str(task.name) for task in context.store.tasks.list(full.workspace)]
    span, hint = context.span_of(name, last=True), did_you_mean(str(full), known)
    raise UserError("TASK_NOT_FOUND", name=full, span=span, hint=hint)


def find_instance(context: Context, id: str) -> tuple[Task, TaskInstance]:
    """The instance with that id and its task, or TASK_INSTANCE_NOT_FOUND."""
    found = context.store.task_instances.get(id)
    task = None if found is None else context.store.tasks.by_id(found.task_id)
    if found is None or task is None or task.name.workspace != context.session.workspace:
        span = next((t.span for t in context.tokens if t.kind == "string"), None)
        raise UserError("TASK_INSTANCE_NOT_FOUND", id=id, span=span)
    return task, found
