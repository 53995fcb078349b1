"""`headwater run`: load what pipes are told to load, once or for ever."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from headwater.cli.lake_option import lake_folder, lake_option, opened
from headwater.cli.signals import Interrupt, leave_now

if TYPE_CHECKING:
    from headwater.cli.run_status import RunStatus


@click.command()
@lake_option
@click.option(
    "--until-idle", is_flag=True, help="Stop as soon as no pipe has anything left to load."
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def run(lake: str | None, *, until_idle: bool, quiet: bool) -> None:
    """Run the pipes of a lake: look for new files and messages, and load them.

    Runs until it is stopped; what is being loaded then is finished first. A second Ctrl-C cancels
    it. If another process holds the lake, this one waits for its turn, unless --until-idle is
    given: then it fails.

    \b
    headwater run --lake mylake
    headwater run --lake mylake --until-idle
    """
    from headwater.cli.run_status import RunStatus
    from headwater.run_pipes import PipeSessions, pipe_loop

    with opened(lake_folder(lake), create=False) as connection:
        own = connection.session.lake
        status = RunStatus(sys.stderr, quiet=quiet)
        sessions = PipeSessions(own, status.loaded)
        loop = pipe_loop(own, sessions, tell=status.show)
        work = loop.run_until_idle if until_idle else loop.run_forever
        try:
            _work(work, sessions.cancel, status)
        finally:
            status.close()
            sessions.close()
        status.say_invalid(own.store.pipes.list(own.config.workspace))


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
                status.say("stopping when what is being loaded is done; Ctrl-C again cancels it")
            elif signals == 2:
                status.say("cancelling; Ctrl-C again leaves at once")
                cancel()
            else:
                leave_now(Interrupt.of(error).number)
    if failed:
        raise failed[0]
