"""ALTER TASK: another draft or name, or pause, resume, take offline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headwater.catalog.tasks import Task, TaskDefinition, TaskKind, TaskState
from headwater.errors import NotSupported, UserError
from headwater.names import counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.task_clauses import Retry
from headwater.sql.tasks import AlterTask, ChangeTask, RenameTask, SetTask, TaskChange, UnsetTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task, task_name
from headwater.statements.task_definition import (
    changed_definition,
    dynamic_target,
    with_retry,
)
from headwater.statements.task_rights import require_own
from headwater.tasks.dependencies import downstream_of

_UNSET = {
    "VCLUSTER": "vcluster",
    "AFTER": "after",
    "SELF": "self_dependent",
    "PARAMETERS": "parameters",
    "TIMEOUT": "timeout_seconds",
    "WAIT": "wait_seconds",
    "SKIP": "skip_seconds",
    "COMMENT": "comment",
}
_STATES = {
    TaskChange.PAUSE: TaskState.PAUSED,
    TaskChange.RESUME: TaskState.ONLINE,
    TaskChange.OFFLINE: TaskState.OFFLINE,
}


def alter_task(context: Context, statement: AlterTask) -> Result:
    """Change the draft of a task, or its state and perhaps that of those that come after it."""
    task = find_task(context, statement.name)
    action = statement.action
    if isinstance(action, ChangeTask):
        return _change(context, task, action)
    require_own(context, task)
    if isinstance(action, RenameTask):
        return _rename(context, task, action)
    if isinstance(action, SetTask):
        draft = _set(context, task, action)
    else:
        draft = _unset(task.draft, action)
    context.store.tasks.set_draft(task.id, draft, now())
    return Result(message=f"task {task.name} has a new draft; SUBMIT TASK {task.name} runs it")


def _rename(context: Context, task: Task, action: RenameTask) -> Result:
    """Who comes after it, and who is told of it, follows: only the name is another."""
    to = task_name(context, action.to)
    if to.workspace != task.name.workspace:
        raise NotSupported("RENAME_ACROSS_WORKSPACES", span=context.span_of(action.to))
    context.store.tasks.rename(task, to, now())
    return Result(message=f"task {task.name} renamed to {to}")


def _set(context: Context, task: Task, action: SetTask) -> TaskDefinition:
    clauses, before = action.clauses, task.draft
    if clauses.target is not None:
        if before.kind is not TaskKind.DYNAMIC_TABLE:
            raise UserError("TASK_KIND_CLAUSE", clause="AS")
        before = replace(before, target=dynamic_target(context, clauses.target))
    if clauses.script is not None and before.kind is not TaskKind.DYNAMIC_TABLE:
        kind = TaskKind.PYTHON if clauses.python else before.kind
        before = replace(before, kind=kind)
    return changed_definition(context, task.name, clauses, before=before, task_id=task.id)


def _unset(draft: TaskDefinition, action: UnsetTask) -> TaskDefinition:
    if action.clause == "RETRY":
        return with_retry(draft, Retry())
    name = _UNSET[action.clause]
    plain: Any = getattr(TaskDefinition(draft.kind, draft.cycle), name)
    changed = replace(draft, **{name: plain})
    if name == "parameters":
        changed = replace(changed, unchecked=False)
    return replace(changed, self_dependent=True) if draft.target is not None else changed


def _change(context: Context, task: Task, action: ChangeTask) -> Result:
    if task.version is None or (
        task.state is TaskState.OFFLINE and action.change is not TaskChange.OFFLINE
    ):
        raise UserError("TASK_NOT_SUBMITTED", name=task.name, state=task.state)
    others = downstream_of(context.store.tasks.list(), task.name)
    others = [other for other in others if other.state is not TaskState.OFFLINE]
    if action.change is TaskChange.OFFLINE and others and not action.with_downstream:
        names = ", ".join(str(other.name) for other in others)
        raise UserError("TASK_HAS_DOWNSTREAM", name=task.name, downstream=names)
    meant = [task, *others] if action.with_downstream else [task]
    state = _STATES[action.change]
    context.store.tasks.set_state([one.id for one in meant], state, now())
    more = f", and {counted(len(others), 'task')} after it" if len(meant) > 1 else ""
    return Result(message=f"task {task.name} is {state}{more}")
