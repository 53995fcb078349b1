"""`headwater sample`: a live data set to try things on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from headwater.cli.lake_option import lake_folder, lake_option, opened
from headwater.errors import UserError

if TYPE_CHECKING:
    from headwater.run_sample import Run
    from headwater.runtime.open_lake import OpenLake

_DEFAULT_RATE = 60
_DEFAULT_SEED = 1
_LOCKED = "LAKE_LOCKED"


class Rate(click.ParamType):
    """Events per minute, as `60` or `60/min`."""

    name = "n/min"

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> int:
        """The number."""
        from headwater.sample.state import MOST_PER_MINUTE

        digits = str(value).strip().removesuffix("/min").strip()
        if not digits.isdigit() or not 1 <= int(digits) <= MOST_PER_MINUTE:
            wanted = f"a number of events per minute from 1 to {MOST_PER_MINUTE}, such as 60/min"
            self.fail(f"{value!r} is not {wanted}", parameter, context)
        return int(digits)


@click.group()
def sample() -> None:
    """A live data set: events of a shop, which grows while `headwater run` is at work.

    \b
    headwater_sample_data.ecommerce_events_history.ecommerce_events_multicategorystore_live
    """


@sample.command()
@lake_option
@click.option("--rate", type=Rate(), default=_DEFAULT_RATE, show_default=True)
@click.option("--seed", type=int, default=_DEFAULT_SEED, help="Other events for other numbers.")
def start(lake: str | None, *, rate: int, seed: int) -> None:
    """Make the data set if it is not there, and let it grow."""
    from headwater import run_sample

    with opened(lake_folder(lake)) as connection:
        own = connection.session.lake
        run_sample.start_sample(own, rate=rate, seed=seed)
        try:
            _with_session(lambda run: run_sample.make_sample(own, run), own)
        except UserError as error:
            if error.condition != _LOCKED:
                raise
            click.echo("the process that runs this lake makes the data set in a moment")
            return
        table = run_sample.sample_table(own)
        rows = table.shape.totals.rows if table is not None else 0
    click.echo(f"{run_sample.NAME.full}: {rows} events")
    click.echo(f"it grows by {rate} events per minute while this runs: headwater run")


@sample.command()
@lake_option
@click.option("--events", type=click.IntRange(1, 1000), default=_DEFAULT_RATE, show_default=True)
def step(lake: str | None, *, events: int) -> None:
    """Let it grow once, by so many events."""
    from headwater import run_sample

    with opened(lake_folder(lake), create=False) as connection:
        own = connection.session.lake
        _require_sample(own)
        _with_session(lambda run: run_sample.grow_sample(own, run, count=events), own)
    click.echo(f"{events} events added to {run_sample.NAME.full}")


@sample.command()
@lake_option
def stop(lake: str | None) -> None:
    """Let it not grow any more; the rows stay."""
    from headwater import run_sample

    with opened(lake_folder(lake), create=False) as connection:
        _require_sample(connection.session.lake)
        run_sample.stop_sample(connection.session.lake)
    click.echo(f"{run_sample.NAME.full} does not grow any more")


@sample.command()
@lake_option
def drop(lake: str | None) -> None:
    """Drop it."""
    from headwater import run_sample

    with opened(lake_folder(lake), create=False) as connection:
        own = connection.session.lake
        _with_session(lambda run: run_sample.drop_sample(own, run), own)
    click.echo(f"{run_sample.NAME.full} is dropped")


def _with_session(work: Callable[[Run], None], lake: OpenLake) -> None:
    from headwater.run_sample import SampleSession

    session = SampleSession(lake)
    try:
        work(session.run)
    finally:
        session.close()


def _require_sample(lake: OpenLake) -> None:
    from headwater.run_sample import sample_table

    if sample_table(lake) is None:
        raise UserError("SAMPLE_NOT_STARTED")
