"""SHOW CREATE TASK."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.tasks import ShowCreateTask
from headwater.statements.context import Context
from headwater.statements.find_task import find_task
from headwater.tasks.rendering import create_statement


def show_create_task(context: Context, statement: ShowCreateTask) -> Result:
    """The statement that makes the same draft; a credential in its script is masked."""
    task = find_task(context, statement.name)
    text = create_statement(task.name, task.draft).to_sql()
    return Result.from_rows(string_columns("sql"), [(text,)])
