"""Loops on a thread of this process, as `headwater run` has them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import headwater
from headwater.pipes.loop import Told
from headwater.run_lake import LakeRun
from headwater.run_pipes import PipeSessions, pipe_loop


@contextmanager
def running_pipes(
    connection: headwater.Connection, tell: Callable[[Told], None] = lambda told: None
) -> Iterator[None]:
    """Run the pipes of a lake; what is being loaded at the end is finished."""
    lake = connection.session.lake
    sessions = PipeSessions(lake)
    with _on_a_thread(pipe_loop(lake, sessions, tell=tell).run_forever, sessions.close):
        yield


@contextmanager
def running_lake(connection: headwater.Connection) -> Iterator[None]:
    """Run the pipes and the schedules of a lake; what is under way at the end is finished."""
    work = LakeRun(connection.session.lake)
    with _on_a_thread(work.run_forever, work.close):
        yield


@contextmanager
def _on_a_thread(
    run: Callable[[threading.Event], None], close: Callable[[], None]
) -> Iterator[None]:
    stop, failed = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            run(stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="bench-loop", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        close()
    if failed:
        raise failed[0]
