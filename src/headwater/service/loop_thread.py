"""The lake's own work in the service: pipes, schedules and upkeep, on a thread, until stopped.

Invariant: one loop runs at a time. A run until idle takes the place of the loop while it lasts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing

from headwater.errors import HeadwaterError, UserError
from headwater.run_lake import LakeRun, Listener
from headwater.run_pipes import recover_lake
from headwater.runtime.open_lake import OpenLake

_LOOK_SECONDS = 0.5
_LOCKED = "LAKE_LOCKED"


class LoopThread:
    """Runs a lake, or only holds it where somebody else is to run it."""

    def __init__(self, lake: OpenLake, listener: Listener, *, loops: bool) -> None:
        self._lake = lake
        self._listener = listener
        self._loops = loops
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None
        self._work: LakeRun | None = None
        self.problem: BaseException | None = None
        """What ended the loop, if it was not told to end."""
        self.failed: Callable[[], None] = lambda: None
        """Told when there is a problem."""
        self.measure_tick: Callable[[float], None] = lambda seconds: None
        """Told how long each look at the schedule took."""

    def start(self) -> None:
        """Begin, or go on after a run until idle."""
        self._stop = threading.Event()
        target = self._run if self._loops else self._hold
        self._thread = threading.Thread(target=target, name="headwater-loop", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Begin nothing more; what is at work goes on."""
        self._ended = True
        self._stop.set()

    def cancel(self) -> None:
        """Cancel what is at work."""
        if self._work is not None:
            self._work.cancel()

    def join(self, seconds: float) -> bool:
        """Whether it has ended, after waiting for it for a while."""
        if self._thread is not None:
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def run_until_idle(self, cancelled: threading.Event) -> None:
        """Do what there is to do once, in the place of the loop."""
        with self._turn:
            self._stop.set()
            if self._thread is not None:
                self._thread.join()
            try:
                with closing(LakeRun(self._lake, self._listener)) as work:
                    self._work = work
                    work.run_until_idle(cancelled)
            finally:
                self._work = None
                if not self._ended:
                    self.start()

    def _run(self) -> None:
        work = LakeRun(self._lake, self._listener)
        work.measure_ticks(self.measure_tick)
        self._work = work
        try:
            work.run_forever(self._stop)
        except BaseException as error:
            self._fail(error)
        finally:
            self._work = None
            work.close()

    def _hold(self) -> None:
        """Take the lake when it is free, and repair what its last holder left."""
        while not self._stop.wait(_LOOK_SECONDS if self._lake.writer.fencing else 0.0):
            lost = self._lake.engine.lost()
            if lost is not None:
                self._fail(lost)
                return
            if self._lake.writer.fencing is not None:
                continue
            try:
                self._lake.writer.ensure()
                recover_lake(self._lake)
            except UserError as error:
                if error.condition != _LOCKED:
                    self._fail(error)
                    return
                self._stop.wait(_LOOK_SECONDS)
            except HeadwaterError:
                # The catalog may be away for a moment.
                self._stop.wait(_LOOK_SECONDS)

    def _fail(self, error: BaseException) -> None:
        self.problem = error
        self.failed()
