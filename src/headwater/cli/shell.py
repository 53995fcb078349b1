"""`headwater shell`: type statements and see what they return."""

from __future__ import annotations

import sys

import click

from headwater import __version__
from headwater.cli.lake_option import embedded_option, lake_option, reached


@click.command()
@lake_option
@embedded_option
def shell(lake: str | None, *, embedded: bool) -> None:
    """Type SQL statements, with completion, colours and history.

    Statements end with a semicolon; \\? lists the short commands; Ctrl-D leaves.

    When standard input is not a terminal, its statements are run as by: headwater sql -f -
    """
    if not sys.stdin.isatty():
        _run_standard_input(lake, embedded=embedded)
        return
    from headwater.cli.history import open_history
    from headwater.cli.shell_loop import Shell

    with reached(lake, embedded=embedded) as connection:
        click.echo(f"headwater {__version__}, {connection.place}")
        click.echo("Statements end with ; and \\? is help.")
        Shell(connection, open_history()).run()


def _run_standard_input(lake: str | None, *, embedded: bool) -> None:
    from headwater.cli.formats import writer
    from headwater.cli.scripts import STANDARD_INPUT, Output, read_script, run_script
    from headwater.cli.statement_thread import StatementThread

    script = read_script(STANDARD_INPUT)
    output = Output(writer("table", sys.stdout), messages=sys.stdout)
    with reached(lake, embedded=embedded) as connection:
        run_script(StatementThread(connection), script, output)
