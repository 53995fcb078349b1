"""The loop of pipes on a thread of this process, as `headwater run` has it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import headwater
from headwater.pipes.loop import Told
from headwater.run_pipes import PipeSessions, pipe_loop


@contextmanager
def running_pipes(
    connection: headwater.Connection, tell: Callable[[Told], None] = lambda told: None
) -> Iterator[None]:
    """Run the pipes of a lake; what is being loaded at the end is finished."""
    lake = connection.session.lake
    sessions = PipeSessions(lake)
    loop = pipe_loop(lake, sessions, tell=tell)
    stop, failed = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            loop.run_forever(stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="bench-loop", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        sessions.close()
    if failed:
        raise failed[0]
