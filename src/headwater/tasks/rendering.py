"""A stored task as the statement that makes it. Pure."""

from __future__ import annotations

from headwater.catalog.tasks import WAIT_LIMIT, TaskDefinition, TaskKind
from headwater.names import ObjectName, QualifiedName
from headwater.sql.task_clauses import RerunPolicy, Retry, TaskClauses
from headwater.sql.tasks import CreateTask


def create_statement(name: QualifiedName, definition: TaskDefinition) -> CreateTask:
    """CREATE TASK; credentials in its script are covered."""
    return CreateTask(ObjectName(name.name, name.schema), clauses_of(definition, name.workspace))


def clauses_of(definition: TaskDefinition, workspace: str) -> TaskClauses:
    """The clauses that make a definition; what is as by default is left out."""
    forced = definition.kind is TaskKind.DYNAMIC_TABLE
    wait = definition.wait_seconds
    return TaskClauses(
        cycle=definition.cycle,
        vcluster=definition.vcluster,
        after=tuple(_short(name, workspace) for name in definition.after) or None,
        self_dependent=(definition.self_dependent and not forced) or None,
        parameters=definition.parameters or None,
        unchecked=definition.unchecked,
        retry=_retry(definition),
        timeout_seconds=definition.timeout_seconds,
        wait_seconds=None if wait == WAIT_LIMIT.total_seconds() else wait,
        skip_seconds=definition.skip_seconds,
        comment=definition.comment,
        python=definition.kind is TaskKind.PYTHON,
        target=None if definition.target is None else _short(definition.target, workspace),
        script=None if definition.target is not None else definition.script,
    )


def _retry(definition: TaskDefinition) -> Retry | None:
    if not definition.retries and definition.rerun is RerunPolicy.ALWAYS:
        return None
    return Retry(definition.retries, definition.retry_seconds, definition.rerun)


def _short(name: QualifiedName, workspace: str) -> ObjectName:
    """A name without the workspace if it is the task's own."""
    return ObjectName(
        name.name, name.schema, None if name.workspace == workspace else name.workspace
    )
