"""DESC TASK."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.runtime.clock import now
from headwater.sql.task_clauses import duration_text
from headwater.sql.tasks import DescTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.statements.info_rows import info_rows
from headwater.tasks.difference import difference
from headwater.tasks.rendering import clauses_of
from headwater.tasks.times import next_time


def desc_task(context: Context, statement: DescTask) -> Result:
    """What is known of a task: the version that runs, and how its draft differs."""
    task, local = find_task(context, statement.name), context.session.local
    current, workspace = task.current, task.name.workspace
    clauses = clauses_of(current, workspace)
    changes = None
    if task.deployed is not None:
        changes = "\n".join(difference(task.deployed, task.draft, workspace)) or None
    limit = current.timeout_seconds
    rows = info_rows(
        folder=task.name.schema,
        name=task.name.name,
        kind=current.kind.value,
        state=task.state.value,
        version=task.version,
        draft_changes=changes,
        owner=task.owner,
        created_time=local(task.created_at),
        last_modified_time=local(task.modified_at),
        comment=current.comment,
        schedule=current.cycle.to_sql(),
        next_plan_time=local(next_time(current.cycle, now())),
        online_since=local(task.online_since),
        virtual_cluster=current.vcluster,
        after=", ".join(str(name) for name in current.after) or None,
        self_dependent=str(current.self_dependent).lower(),
        parameters=", ".join(f"{key} = {value}" for key, value in current.parameters) or None,
        retry=None if clauses.retry is None else clauses.retry.to_sql(),
        timeout=None if limit is None else duration_text(limit),
        wait_limit=duration_text(current.wait_seconds),
        dynamic_table=current.target,
        schema=current.schema,
        script=current.script or None,
    )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)
