"""SHOW TASK VERSIONS."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.tasks import ShowTaskVersions
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.find_task import find_task
from headwater.tasks.difference import difference
from headwater.tasks.rendering import create_statement

COLUMNS = (
    Column("version", "int"),
    Column("submitted_by", "string"),
    Column("submitted_time", "timestamp"),
    Column("changes", "string"),
    Column("sql", "string"),
)


def show_task_versions(context: Context, statement: ShowTaskVersions) -> Result:
    """What was submitted of a task, newest first, each with what it changed."""
    task = find_task(context, statement.name)
    versions = context.store.tasks.versions(task.id)
    rows = []
    for place, version in enumerate(versions):
        changes = []
        if place + 1 < len(versions):
            before = versions[place + 1].definition
            changes = difference(before, version.definition, task.name.workspace)
        rows.append(
            (
                version.version,
                version.submitted_by,
                context.session.local(version.submitted_at),
                "\n".join(changes) or None,
                create_statement(task.name, version.definition).to_sql(),
            )
        )
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)
