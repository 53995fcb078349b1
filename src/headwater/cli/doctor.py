"""`headwater doctor`: is everything there that Headwater needs?"""

from __future__ import annotations

import sys

import click

from headwater.cli.formats import FORMATS, writer
from headwater.cli.lake_option import lake_folder_if_any, lake_option


@click.command()
@lake_option
@click.option("--spark", is_flag=True, help="Also start Spark and run a query.")
@click.option(
    "-o",
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to print the checks.",
)
@click.pass_context
def doctor(context: click.Context, lake: str | None, *, spark: bool, format_name: str) -> None:
    """Check Python, Java, Spark's jars, the lake, its catalog and the machine.

    The exit code is 1 if a check failed.
    """
    from headwater.cli.checks import CheckState, as_result, run_checks

    checks = list(run_checks(lake_folder_if_any(lake), spark=spark))
    writer(format_name, sys.stdout)(as_result(checks))
    failed = [check.name for check in checks if check.state is CheckState.FAILED]
    if failed:
        click.echo(f"failed: {', '.join(failed)}", err=True)
        context.exit(1)
