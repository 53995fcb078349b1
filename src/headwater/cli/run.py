"""`headwater run`: load what pipes are told to load and refresh what is due, once or for ever."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from headwater.cli.lake_option import (
    embedded_option,
    lake_folder,
    lake_option,
    opened,
    reached,
)
from headwater.cli.signals import Interrupt, leave_now
from headwater.cli.statement_thread import StatementThread

if TYPE_CHECKING:
    from headwater.cli.run_status import RunStatus


@click.command()
@lake_option
@click.option(
    "--until-idle",
    is_flag=True,
    help="Stop as soon as no pipe has anything left to load and no refresh is due.",
)
@click.option(
    "--upkeep",
    is_flag=True,
    help="With --until-idle: also do the upkeep that is due. Without it, upkeep is always done.",
)
@embedded_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def run(lake: str | None, *, until_idle: bool, upkeep: bool, embedded: bool, quiet: bool) -> None:
    """Run the pipes of a lake, and refresh its dynamic tables when they are due.

    Runs until it is stopped; what is at work then is finished first. A second Ctrl-C cancels it.
    If another process holds the lake, this one waits for its turn, unless --until-idle is given:
    then it fails, or, if that process is a service, has the service do it.

    \b
    headwater run --lake mylake
    headwater run --lake mylake --until-idle
    headwater run --lake mylake --until-idle --upkeep
    """
    from headwater.cli.run_status import RunStatus
    from headwater.run_lake import LakeRun

    if until_idle and not upkeep and _done_by_service(lake, embedded=embedded):
        return
    with opened(lake_folder(lake), create=False) as connection:
        own = connection.session.lake
        status = RunStatus(sys.stderr, quiet=quiet)
        work = LakeRun(own, status)
        try:
            until = partial(work.run_until_idle, upkeep=upkeep)
            _work(until if until_idle else work.run_forever, work.cancel, status)
        finally:
            status.close()
            work.close()
        status.say_invalid(own.store.pipes.list(own.config.workspace))
        status.say_failing(own.store.schedules.list())


def _done_by_service(lake: str | None, *, embedded: bool) -> bool:
    """Whether a service runs the lake, and has done what was due."""
    with reached(lake, embedded=embedded, create=False) as connection:
        if connection.embedded:
            return False
        thread = StatementThread(connection)
        thread.call(connection.run_until_idle)
    return True


def _work(
    work: Callable[[threading.Event], None], cancel: Callable[[], None], status: RunStatus
) -> None:
    """Do the work on a thread of its own, so that a signal ends it instead of cutting it in two."""
    stop, failed = threading.Event(), list[BaseException]()

    def guarded() -> None:
        try:
            work(stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=guarded, name="headwater-loop", daemon=True)
    thread.start()
    signals = 0
    while True:
        try:
            thread.join()
            break
        except KeyboardInterrupt as error:
            signals += 1
            stop.set()
            if signals == 1:
                status.say("stopping when what is at work is done; Ctrl-C again cancels it")
            elif signals == 2:
                status.say("cancelling; Ctrl-C again leaves at once")
                cancel()
            else:
                leave_now(Interrupt.of(error).number)
    if failed:
        raise failed[0]
