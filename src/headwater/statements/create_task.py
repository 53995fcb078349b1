"""CREATE TASK: a draft, which runs when it is submitted."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace

from headwater.catalog.tasks import Task
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.tasks import CreateTask
from headwater.statements.context import Context
from headwater.statements.find_task import task_name
from headwater.statements.task_definition import changed_definition, dynamic_target
from headwater.statements.task_rights import require_own

# They become names of files; whatever Studio calls a task is one here.
_NAME = re.compile(r"(?!\.{1,2}\Z)[^/\\\x00-\x1f]{1,128}")


def create_task(context: Context, statement: CreateTask) -> Result:
    """Keep a draft; of a task that is there, another one."""
    name = task_name(context, statement.name)
    for part in (name.schema, name.name):
        if not _NAME.fullmatch(part):
            raise UserError("TASK_NAME", name=part, span=statement.name_span)
    store, at = context.store.tasks, now()
    known = store.get(name)
    if known is not None and statement.if_not_exists:
        return Result(message=f"task {name} exists already")
    if known is not None and not statement.or_replace:
        raise UserError("TASK_ALREADY_EXISTS", name=name, span=statement.name_span)
    if known is not None:
        require_own(context, known)
    task_id = uuid.uuid4().hex if known is None else known.id
    clauses = statement.clauses
    draft = changed_definition(context, name, clauses, before=None, task_id=task_id)
    if clauses.target is not None:
        draft = replace(draft, target=dynamic_target(context, clauses.target))
    if known is None:
        store.create(Task(task_id, name, context.session.user, at, at, draft))
        return Result(message=f"task {name} created; it runs after SUBMIT TASK {name}")
    store.set_draft(task_id, draft, at)
    return Result(message=f"task {name} has a new draft; it runs after SUBMIT TASK {name}")
