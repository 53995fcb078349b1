"""RERUN TASK INSTANCE: from its beginning, with the latest code, and what comes after it."""

from __future__ import annotations

from headwater.catalog.tasks import (
    DONE_STATES,
    FINAL_STATES,
    Task,
    TaskInstance,
    started_again,
)
from headwater.errors import UserError
from headwater.names import counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.task_clauses import RerunPolicy
from headwater.sql.task_instances import RerunTaskInstance
from headwater.statements.context import Context
from headwater.statements.find_task import find_instance
from headwater.tasks.dependencies import downstream_of, overlapping


def rerun_task_instance(context: Context, statement: RerunTaskInstance) -> Result:
    """Let an instance that ended wait again; with downstream also those that waited for it."""
    task, instance = find_instance(context, statement.id)
    if instance.state not in FINAL_STATES:
        raise UserError(
            "TASK_INSTANCE_STATE",
            state=instance.state,
            change="a rerun",
            instead=f"ALTER TASK INSTANCE '{instance.id}' TERMINATE first",
        )
    _require_allowed(task, instance)
    meant = [(task, instance)]
    if statement.with_downstream:
        meant += [
            (later, found)
            for later, found in _downstream(context, task, instance)
            if found.state in FINAL_STATES and _allowed(later, found)
        ]
    at, store = now(), context.store
    with store.begin() as transaction:
        # What comes after waits first: it must not begin between the two.
        moved = [
            store.task_instances.move(
                found,
                started_again(found, one.current, at, version=one.version),
                connection=transaction,
            )
            for one, found in reversed(meant)
        ]
    return Result(message=f"{counted(sum(moved), 'instance')} to run again", rowcount=sum(moved))


def _allowed(task: Task, instance: TaskInstance) -> bool:
    policy = task.current.rerun
    if policy is RerunPolicy.ON_FAILURE:
        return instance.state not in DONE_STATES
    return policy is RerunPolicy.ALWAYS


def _require_allowed(task: Task, instance: TaskInstance) -> None:
    if not _allowed(task, instance):
        raise UserError("TASK_RERUN_REFUSED", name=task.name, policy=task.current.rerun)


def _downstream(
    context: Context, task: Task, instance: TaskInstance
) -> list[tuple[Task, TaskInstance]]:
    """The instances that waited for one, directly or not, in the same run."""
    reached = {task.name: (task, {instance.plan_at})}
    found = list[tuple[Task, TaskInstance]]()
    for later in downstream_of(context.store.tasks.list(), task.name):
        plan_times = set()
        for one in context.store.task_instances.list(task_id=later.id, run=instance.run):
            for name in later.current.after:
                if name not in reached:
                    continue
                above, times = reached[name]
                waited = overlapping(later.current.cycle, above.current.cycle, one.plan_at)
                if not times.isdisjoint(waited):
                    plan_times.add(one.plan_at)
                    found.append((later, one))
                    break
        reached[later.name] = (later, plan_times)
    return found
