"""`headwater task`: tasks and their instances; each command is one statement."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from headwater.cli.formats import FORMATS, writer
from headwater.cli.lake_option import lake_folder, lake_option, opened
from headwater.cli.scripts import Output, show
from headwater.cli.task_files import apply, export
from headwater.errors import UserError
from headwater.names import ObjectName, quote_literal

if TYPE_CHECKING:
    from headwater.dbapi import Connection

format_option = click.option(
    "-o",
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to print rows.",
)
downstream_option = click.option(
    "--with-downstream", is_flag=True, help="Also the tasks that come after it."
)


@click.group()
def task() -> None:
    """Run scripts on a schedule and after each other.

    \b
    headwater task apply tasks/ --lake mylake --dry-run
    headwater task list --lake mylake
    headwater task instances etl.daily --lake mylake
    """


def task_name(text: str) -> ObjectName:
    """A task as it is typed: `daily` or `etl.daily`."""
    from headwater.sql.cursor import Cursor

    cursor = Cursor(text)
    name = cursor.object_name("the name of a task")
    cursor.expect_end()
    return name


def run_statement(lake: str | None, text: str, format_name: str = "table") -> None:
    """Run one statement and show what it gives."""
    messages = sys.stdout if format_name == "table" else None
    with opened(lake_folder(lake), create=False) as connection:
        show(connection.sql(text), 0.0, Output(writer(format_name, sys.stdout), messages))


@task.command("list")
@lake_option
@format_option
def list_tasks(lake: str | None, format_name: str) -> None:
    """Show all tasks."""
    run_statement(lake, "SHOW TASKS", format_name)


@task.command("show")
@click.argument("name")
@lake_option
@format_option
def show_task(name: str, lake: str | None, format_name: str) -> None:
    """Show all that is known of a task."""
    run_statement(lake, f"DESC TASK {task_name(name)}", format_name)


@task.command("instances")
@click.argument("name", required=False)
@click.option("--limit", type=int, default=50, show_default=True, help="How many at most.")
@lake_option
@format_option
def instances(name: str | None, limit: int, lake: str | None, format_name: str) -> None:
    """Show the instances of a task, or of all, the latest first."""
    of = "" if name is None else f" OF {task_name(name)}"
    run_statement(lake, f"SHOW TASK INSTANCES{of} LIMIT {limit}", format_name)


@task.command("log")
@click.argument("instance")
@lake_option
def log(instance: str, lake: str | None) -> None:
    """Print the log of an instance."""
    with opened(lake_folder(lake), create=False) as connection:
        found = _described(connection, instance)
    click.echo(found["log"] or "", nl=False)


def _described(connection: Connection, instance: str) -> dict[str, str | None]:
    rows = connection.sql(f"DESC TASK INSTANCE {quote_literal(instance)}").rows
    return {str(name): value for name, value in rows}


@task.command("run")
@click.argument("name")
@click.option("--at", metavar="TIME", help="The plan time it stands for; default: now.")
@click.option("--wait", is_flag=True, help="Run what is due here and now, and say how it ended.")
@lake_option
def run_task(name: str, at: str | None, wait: bool, lake: str | None) -> None:
    """Run a task once, whatever its schedule says."""
    tail = "" if at is None else f" AT {quote_literal(at)}"
    statement = f"EXECUTE TASK {task_name(name)}{tail}"
    if not wait:
        run_statement(lake, statement)
        return
    with opened(lake_folder(lake), create=False) as connection:
        message = connection.sql(statement).message
        id = message.partition(" runs as instance ")[2].partition(",")[0]
        connection.run_until_idle()
        found = _described(connection, id)
    click.echo(found["log"] or "", nl=False)
    if found["state"] != "SUCCEEDED":
        raise UserError("TASK_RUN_FAILED", state=found["state"], problem=found["error_message"])


@task.command("backfill")
@click.argument("name")
@click.argument("first", metavar="FROM")
@click.argument("last", metavar="TO")
@downstream_option
@lake_option
def backfill(name: str, first: str, last: str, with_downstream: bool, lake: str | None) -> None:
    """Run a task for every plan time from one day or time to another."""
    span = f"FROM {quote_literal(first)} TO {quote_literal(last)}"
    run_statement(lake, f"BACKFILL TASK {task_name(name)} {span}{_downstream(with_downstream)}")


@task.command("rerun")
@click.argument("instance")
@downstream_option
@lake_option
def rerun(instance: str, with_downstream: bool, lake: str | None) -> None:
    """Run an instance again, with the latest code."""
    tail = _downstream(with_downstream)
    run_statement(lake, f"RERUN TASK INSTANCE {quote_literal(instance)}{tail}")


@task.command("submit")
@click.argument("names", nargs=-1, required=True)
@lake_option
def submit(names: tuple[str, ...], lake: str | None) -> None:
    """Let the drafts of tasks run."""
    run_statement(lake, f"SUBMIT TASK {', '.join(str(task_name(name)) for name in names)}")


@task.command("pause")
@click.argument("name")
@downstream_option
@lake_option
def pause(name: str, with_downstream: bool, lake: str | None) -> None:
    """Begin no further instance of a task."""
    _change(lake, name, "PAUSE", with_downstream)


@task.command("resume")
@click.argument("name")
@downstream_option
@lake_option
def resume(name: str, with_downstream: bool, lake: str | None) -> None:
    """Let a paused task go on."""
    _change(lake, name, "RESUME", with_downstream)


@task.command("offline")
@click.argument("name")
@downstream_option
@lake_option
def offline(name: str, with_downstream: bool, lake: str | None) -> None:
    """Take a task off the schedule."""
    _change(lake, name, "OFFLINE", with_downstream)


def _change(lake: str | None, name: str, change: str, with_downstream: bool) -> None:
    run_statement(lake, f"ALTER TASK {task_name(name)} {change}{_downstream(with_downstream)}")


def _downstream(wanted: bool) -> str:
    return " WITH DOWNSTREAM" if wanted else ""


task.add_command(apply)
task.add_command(export)
