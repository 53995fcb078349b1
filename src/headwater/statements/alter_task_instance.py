"""ALTER TASK INSTANCE: set success or failure, terminate, pause, resume."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.tasks import InstanceState, TaskInstance, may_follow
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.task_instances import AlterTaskInstance, InstanceChange
from headwater.statements.context import Context
from headwater.statements.find_task import find_instance

_S = InstanceState
_CHANGES: dict[InstanceChange, tuple[InstanceState, frozenset[InstanceState]]] = {
    InstanceChange.SET_SUCCESS: (_S.SUCCEEDED, frozenset(_S) - {_S.RUNNING, _S.SUCCEEDED}),
    InstanceChange.SET_FAILURE: (_S.FAILED, frozenset(_S) - {_S.RUNNING, _S.FAILED}),
    InstanceChange.TERMINATE: (
        _S.TERMINATED,
        frozenset({_S.WAITING, _S.READY, _S.RUNNING, _S.PAUSED}),
    ),
    InstanceChange.PAUSE: (_S.PAUSED, frozenset({_S.WAITING, _S.READY})),
    InstanceChange.RESUME: (_S.WAITING, frozenset({_S.PAUSED})),
}
_ENDED = (_S.SUCCEEDED, _S.FAILED, _S.TERMINATED)


def alter_task_instance(context: Context, statement: AlterTaskInstance) -> Result:
    """Change the state of an instance; who runs it sees that within a second."""
    _, instance = find_instance(context, statement.id)
    state, possible = _CHANGES[statement.change]
    if instance.state not in possible or not may_follow(instance.state, state):
        raise _refused(instance, statement.change)
    at, by = now(), context.session.user
    after = replace(instance, state=state, error=f"{statement.change} by {by}")
    if state is InstanceState.WAITING:
        after = replace(after, error=None, waiting_since=at)
    if state in _ENDED:
        after = replace(after, ended_at=at)
    if not context.store.task_instances.move(instance, after):
        _, current = find_instance(context, statement.id)
        raise _refused(current, statement.change)
    return Result(message=f"instance {instance.id} is {state}")


def _refused(instance: TaskInstance, change: InstanceChange) -> UserError:
    running = instance.state is InstanceState.RUNNING
    instead = f"ALTER TASK INSTANCE '{instance.id}' TERMINATE first" if running else None
    return UserError(
        "TASK_INSTANCE_STATE",
        state=instance.state,
        change=change,
        instead=instead or f"RERUN TASK INSTANCE '{instance.id}' runs it again",
    )
