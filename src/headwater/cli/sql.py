"""`headwater sql`: run statements from arguments, a file or standard input."""

from __future__ import annotations

import sys

import click

from headwater.cli.formats import FORMATS, writer
from headwater.cli.lake_option import embedded_option, lake_option, reached
from headwater.cli.progress import progress_line
from headwater.cli.scripts import STANDARD_INPUT, Output, run_script, scripts_of
from headwater.cli.statement_thread import StatementThread


@click.command()
@lake_option
@embedded_option
@click.option("-e", "expressions", multiple=True, metavar="SQL", help="Run this; may be repeated.")
@click.option("-f", "file", metavar="FILE", help="Run the statements in FILE; - is standard input.")
@click.option(
    "-o",
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to print rows.",
)
@click.option("--timing", is_flag=True, help="Say how long each statement took.")
@click.option("-q", "--quiet", is_flag=True, help="No progress line.")
def sql(
    lake: str | None,
    expressions: tuple[str, ...],
    file: str | None,
    *,
    embedded: bool,
    format_name: str,
    timing: bool,
    quiet: bool,
) -> None:
    """Run SQL statements and print what they return.

    Rows go to standard output, everything else to standard error. A lake folder that is missing or
    empty becomes a new lake. The first statement that fails ends the run with exit code 1.

    \b
    headwater sql --lake mylake -e "SHOW TABLES"
    headwater sql --lake mylake -f load.sql --format csv
    """
    if expressions and file is not None:
        raise click.UsageError("give -e or -f, not both")
    if not expressions and file is None:
        if sys.stdin.isatty():
            raise click.UsageError(
                "there is nothing to run: give -e SQL or -f FILE, or type statements in: "
                "headwater shell"
            )
        file = STANDARD_INPUT
    scripts = scripts_of(expressions, file)
    table = format_name == "table"
    output = Output(
        writer(format_name, sys.stdout), messages=sys.stdout if table else None, timing=timing
    )
    with reached(lake, embedded=embedded) as connection:
        wait = progress_line(connection.progress, wanted=table and not quiet)
        thread = StatementThread(connection, wait=wait)
        for script in scripts:
            run_script(thread, script, output)
