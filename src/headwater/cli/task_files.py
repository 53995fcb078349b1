"""`headwater task apply` and `export`: tasks as files under version control."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater.cli.lake_option import lake_folder, lake_option, opened
from headwater.errors import UserError
from headwater.names import ObjectName, counted

if TYPE_CHECKING:
    from headwater.dbapi import Connection
    from headwater.sql.tasks import CreateTask
    from headwater.tasks.apply import Plan
    from headwater.tasks.files import TaskFile


@click.command("apply")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--prune", is_flag=True, help="Also drop tasks that have no file.")
@lake_option
def apply(folder: Path, dry_run: bool, prune: bool, lake: str | None) -> None:
    """Make the tasks of a lake those of a folder: show the difference, then submit it.

    FOLDER/etl/daily.sql is task etl.daily. Its first lines are its clauses, as CREATE TASK has
    them, in a comment between two lines `-- ---`; in .py files `# ---`.
    """
    from headwater.tasks.apply import plan_changes
    from headwater.tasks.files import read_file

    wanted = [read_file(file) for file in _files(folder)]
    with opened(lake_folder(lake), create=False) as connection:
        known, offline = _known(connection)
        plan = plan_changes(wanted, known, offline=offline, prune=prune)
        _show(plan)
        if plan.empty or dry_run:
            return
        for statement in plan.statements():
            click.echo(connection.sql(statement).message)


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@lake_option
def export(folder: Path, lake: str | None) -> None:
    """Write every task into a file of a folder, as `apply` reads them."""
    from headwater.tasks.files import write_file

    with opened(lake_folder(lake), create=False) as connection:
        known, _ = _known(connection)
    for statement in known:
        file = write_file(statement)
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    click.echo(f"{counted(len(known), 'task')} written to {folder}")


def _files(folder: Path) -> Iterable[TaskFile]:
    from headwater.tasks.files import PYTHON, SQL, TaskFile

    if not folder.is_dir():
        raise UserError("TASK_FOLDER_NOT_FOUND", folder=folder)
    for path in sorted(folder.rglob("*")):
        if path.suffix in (SQL, PYTHON) and path.is_file():
            try:
                text = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                problem = f"it cannot be read: {error}"
                raise UserError("TASK_FILE", file=path, problem=problem) from None
            yield TaskFile(path.relative_to(folder).as_posix(), text)


def _known(connection: Connection) -> tuple[list[CreateTask], set[ObjectName]]:
    """The tasks as their statements, and which of them do not run as they are written."""
    from headwater.sql.parse import parse
    from headwater.sql.tasks import CreateTask

    tasks, offline = list[CreateTask](), set[ObjectName]()
    shown = connection.sql("SHOW TASKS")
    for row in shown.rows:
        columns = dict(zip(shown.columns, row, strict=True))
        name = ObjectName.of(columns["folder"], columns["name"])
        [(text,)] = connection.sql(f"SHOW CREATE TASK {name}").rows
        statement = parse(text)
        assert isinstance(statement, CreateTask)
        tasks.append(replace(statement, or_replace=True))
        if columns["state"] == "OFFLINE" or columns["changed"]:
            offline.add(name)
    return tasks, offline


def _show(plan: Plan) -> None:
    for change in plan.changes:
        click.echo(f"{change.verb} task {change.name}")
        for line in change.lines:
            click.echo(f"  {line}")
    if plan.left:
        names = ", ".join(str(name) for name in plan.left)
        click.echo(f"no file for {names}; --prune drops them")
    if plan.empty:
        click.echo("nothing to change")
