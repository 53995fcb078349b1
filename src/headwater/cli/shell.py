"""`headwater shell`: type statements and see what they return."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from headwater import __version__
from headwater.cli.lake_option import lake_folder, lake_option, opened


@click.command()
@lake_option
def shell(lake: str | None) -> None:
    """Type SQL statements, with completion, colours and history.

    Statements end with a semicolon; \\? lists the short commands; Ctrl-D leaves.

    When standard input is not a terminal, its statements are run as by: headwater sql -f -
    """
    folder = lake_folder(lake)
    if not sys.stdin.isatty():
        _run_standard_input(folder)
        return
    from headwater.cli.history import open_history
    from headwater.cli.shell_loop import Shell

    with opened(folder) as connection:
        click.echo(f"headwater {__version__}, lake {folder.resolve()}")
        click.echo("Statements end with ; and \\? is help.")
        Shell(connection, open_history()).run()


def _run_standard_input(folder: Path) -> None:
    from headwater.cli.formats import writer
    from headwater.cli.scripts import STANDARD_INPUT, Output, read_script, run_script
    from headwater.cli.statement_thread import StatementThread

    script = read_script(STANDARD_INPUT)
    output = Output(writer("table", sys.stdout), messages=sys.stdout)
    with opened(folder) as connection:
        run_script(StatementThread(connection), script, output)
