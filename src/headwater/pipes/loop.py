"""The loop: looks at every pipe when it is due, side by side, one batch of a pipe at a time.

Only the process that holds the lake works; another one that is started waits until it may. Looking
is cheap and has threads of its own; batches are jobs, which wait for a place on their cluster.
The queues of volumes that streams watch are looked at beside them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from headwater.catalog.pipes import Pipe
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.files.loads import purge
from headwater.pipes.due import seconds_until_due
from headwater.pipes.steps import LAKE_LOCKED, Outcome, RunBatch, Stepper
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_properties import properties_of
from headwater.streams.directory_watch import DirectoryWatch

_TICK = 0.25
_LEAST_REST = 0.01
_LOOK_FOR_CHANGES = 1.0
_STANDBY = 1.0
_MOST_THREADS = 128
_LONG_POLL = 20


@dataclass(frozen=True, slots=True)
class Told:
    """What the loop says about itself, for a status line."""

    pipes: int = 0
    busy: int = 0
    waiting_for: str | None = None
    """Who holds the lake, or what is away, while this process waits for it."""
    troubles: tuple[str, ...] = ()
    """What is wrong with queues of volumes that streams watch."""


@dataclass(slots=True)
class _Worked:
    """A pipe as this process works on it."""

    stepper: Stepper
    looked_at: float | None = None
    """When the last look began, unless the next one is due at once."""
    begun_at: float = 0.0
    future: Future[Outcome] | None = None
    idle: bool = False


@dataclass(slots=True)
class PipeLoop:
    """Runs the pipes of a lake. `recover` repairs what a process left that held the lake before."""

    lake: OpenLake
    run: RunBatch
    recover: Callable[[], None]
    tell: Callable[[Told], None] = lambda told: None
    fail: Callable[[Pipe], None] = lambda pipe: None
    """Told of a pipe that failed, or has stopped by itself, as it is then."""
    _worked: dict[str, _Worked] = field(default_factory=dict)
    _purged_at: float = 0.0
    _purging: Future[None] | None = None
    _woken: threading.Event = field(default_factory=threading.Event)
    """Set when a step has ended, so that nobody has to look for it."""
    _directories: DirectoryWatch = field(init=False)

    def __post_init__(self) -> None:
        self._directories = DirectoryWatch(self.lake, self._woken.set)

    def run_until_idle(self, stop: threading.Event | None = None) -> None:
        """Look at every pipe until none has anything left; waits for those that try again soon."""
        self._hold_lake()
        with self._threads() as pool:
            while not (stop and stop.is_set()):
                running = self._running()
                self._submit(pool, [p for p in running if self._has_work(p)], patience=1)
                watching = self._directories.tend(pool, patience=1, until_idle=True)
                if not self._collect(running) and not watching:
                    break
                self._rest(_TICK)
        if troubles := self._directories.troubles:
            self.tell(Told(troubles=troubles))
        purge(self.lake)
        self._close()

    def run_forever(self, stop: threading.Event) -> None:
        """Look at every pipe when it is due, until `stop` is set; batches under way end first.

        A catalog that is away for a while is waited for.
        """
        with self._threads() as pool:
            while not stop.is_set():
                try:
                    self._work_on(pool, stop)
                except TransientError as error:
                    self.tell(Told(waiting_for=error.message))
                    stop.wait(_STANDBY)
        self._close()

    def _work_on(self, pool: ThreadPoolExecutor, stop: threading.Event) -> None:
        running: list[Pipe] = []
        read_at = -_LOOK_FOR_CHANGES
        while not stop.is_set():
            if not self._held(stop):
                continue
            if time.monotonic() - read_at >= _LOOK_FOR_CHANGES:
                running, read_at = self._running(), time.monotonic()
                self._purge_left_overs(pool)
            self._submit(pool, [p for p in running if self._is_due(p)], patience=_LONG_POLL)
            self._directories.tend(pool, patience=_LONG_POLL)
            self._collect(running)
            troubles = self._directories.troubles
            self.tell(Told(len(running), self._busy, troubles=troubles))
            self._rest(self._until_due(running))

    def _threads(self) -> AbstractContextManager[ThreadPoolExecutor]:
        return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="headwater-pipe")

    def _hold_lake(self) -> None:
        self.lake.writer.ensure()
        self.recover()

    def _held(self, stop: threading.Event) -> bool:
        """Whether this process may work; if not, it has waited a while for its turn."""
        if self.lake.writer.fencing is not None:
            return True
        try:
            self._hold_lake()
        except UserError as error:
            if error.condition != LAKE_LOCKED:
                raise
            self.tell(Told(waiting_for=error.message))
            stop.wait(_STANDBY)
            return False
        return True

    def _running(self) -> list[Pipe]:
        found = self.lake.store.pipes.running()
        gone = self._worked.keys() - {pipe.id for pipe in found}
        for pipe_id in gone:
            future = self._worked[pipe_id].future
            if future is None or future.done():
                self._worked.pop(pipe_id).stepper.close()
        return found

    def _work(self, pipe: Pipe) -> _Worked:
        known = self._worked.get(pipe.id)
        if known is None:
            known = self._worked[pipe.id] = _Worked(Stepper(self.lake, pipe.id, self.run))
        return known

    def _submit(self, pool: ThreadPoolExecutor, pipes: Iterable[Pipe], *, patience: int) -> None:
        for pipe in pipes:
            worked = self._work(pipe)
            if worked.future is None:
                worked.stepper.patience = patience
                worked.begun_at = time.monotonic()
                worked.future = pool.submit(worked.stepper.step)
                worked.future.add_done_callback(lambda _: self._woken.set())

    def _rest(self, seconds: float) -> None:
        """Wait, but no longer than until a step ends."""
        self._woken.wait(seconds)
        self._woken.clear()

    def _until_due(self, running: Iterable[Pipe]) -> float:
        """How long nothing is due, within what it takes to see that the loop is to stop."""
        resting = (pipe for pipe in running if self._work(pipe).future is None)
        return max(_LEAST_REST, min((self._left(pipe) for pipe in resting), default=_TICK))

    def _collect(self, running: Iterable[Pipe]) -> bool:
        """Take what has ended; says whether a pipe is at work or has work left."""
        left = False
        for pipe in running:
            worked = self._work(pipe)
            future = worked.future
            if future is not None and future.done():
                worked.future = None
                self._ended(worked, pipe.id, future.result())
            left = left or worked.future is not None or not worked.idle
        return left

    def _ended(self, worked: _Worked, pipe_id: str, outcome: Outcome) -> None:
        worked.idle = outcome in (Outcome.IDLE, Outcome.STOPPED)
        worked.looked_at = None if outcome is Outcome.MOVED else worked.begun_at
        if outcome in (Outcome.FAILED, Outcome.STOPPED):
            pipe = self.lake.store.pipes.by_id(pipe_id)
            if pipe is not None and pipe.failures:
                worked.idle = worked.idle or self._fails_on(pipe)
                self.fail(pipe)

    def _fails_on(self, pipe: Pipe) -> bool:
        """Whether it failed so often that a run until idle leaves it to the next one."""
        return pipe.failures >= self.lake.config.pipe_failures

    def _is_due(self, pipe: Pipe) -> bool:
        return self._left(pipe) == 0.0

    def _left(self, pipe: Pipe) -> float:
        """How long a pipe is not due, or a tick if that is longer than one."""
        looked_at = self._work(pipe).looked_at
        since = None if looked_at is None else time.monotonic() - looked_at
        return min(_TICK, self._waits(pipe, since))

    def _has_work(self, pipe: Pipe) -> bool:
        """For a run until idle: intervals are over, but back-off and first delays are not."""
        worked = self._work(pipe)
        if worked.idle:
            return False
        left = self._waits(pipe, None)
        if left > 0.0 and (not pipe.failures or self._fails_on(pipe)):
            worked.idle = True
        return left == 0.0

    def _waits(self, pipe: Pipe, since_look: float | None) -> float:
        return seconds_until_due(
            pipe,
            properties_of(pipe.properties),
            at=now(),
            since_look=since_look,
            poll_seconds=self.lake.config.pipe_poll_seconds,
        )

    @property
    def _busy(self) -> int:
        return sum(worked.future is not None for worked in self._worked.values())

    def _purge_left_overs(self, pool: ThreadPoolExecutor) -> None:
        """Files whose deletion failed are tried again, as often as stores are looked at.

        On a thread of its own: a store that is away must not hold up pipes that do not need it.
        """
        if self._purging is not None and not self._purging.done():
            return
        if time.monotonic() - self._purged_at < self.lake.config.pipe_poll_seconds:
            return
        if self._purging is not None:
            self._purging.result()
        self._purged_at = time.monotonic()
        self._purging = pool.submit(self._try_purge)

    def _try_purge(self) -> None:
        try:
            purge(self.lake)
        except HeadwaterError:
            return

    def _close(self) -> None:
        for worked in self._worked.values():
            worked.stepper.close()
        self._worked.clear()
        self._directories.close()
