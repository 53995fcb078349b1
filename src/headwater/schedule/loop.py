"""The loop of the schedule: looks once a second for what is due, and runs it wave by wave.

Invariant: a table is in one wave at most. Siblings run side by side, as many as their virtual
cluster has places for; nothing begins while another process holds the lake.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from headwater.catalog.schedules import ScheduledTable
from headwater.errors import TransientError
from headwater.refresh.pins import WavePins
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.schedule.marks import changed_marks
from headwater.schedule.pinning import pin_wave
from headwater.schedule.steps import Outcome, RunRefresh, refresh_in_wave
from headwater.schedule.wave_run import Ended, WaveRun
from headwater.schedule.waves import Held, Tick, plan_wave

_LOOK = 1.0
_STANDBY = 0.25
_MOST_THREADS = 32
_MOST_TRIES = 3
"""How often a run until idle begins with a table that something else always overtakes."""
_DEFAULT_CLUSTER = "DEFAULT"


@dataclass(frozen=True, slots=True)
class Told:
    """What the loop says about itself, for a status line."""

    tables: int = 0
    """How many tables have a schedule."""
    busy: int = 0
    held: tuple[Held, ...] = ()
    """What is due and waits."""


@dataclass(slots=True)
class _Work:
    """A refresh that is to run or runs."""

    run: WaveRun
    pins: WavePins
    table: ScheduledTable
    future: Future[Outcome] | None = None

    @property
    def cluster(self) -> str:
        schedule = self.table.schedule
        named = schedule.vcluster if schedule is not None else None
        return (named or _DEFAULT_CLUSTER).upper()


@dataclass(slots=True)
class ScheduleLoop:
    """Refreshes the dynamic tables of a lake when they are due."""

    lake: OpenLake
    refresh: RunRefresh
    tell: Callable[[Told], None] = lambda told: None
    fail: Callable[[ScheduledTable, str], None] = lambda table, reason: None
    """Told of tables that failed, or were skipped because what they read failed."""
    measure: Callable[[float], None] = lambda seconds: None
    """Told how long each look took that `run_forever` had."""
    _waves: list[tuple[WaveRun, WavePins]] = field(default_factory=list)
    _queue: deque[_Work] = field(default_factory=deque)
    _running: list[_Work] = field(default_factory=list)
    _overtaken: Counter[str] = field(default_factory=Counter)
    _woken: threading.Event = field(default_factory=threading.Event)
    """Set when a refresh has ended, so that nobody has to look for it."""

    def run_until_idle(self, stop: threading.Event | None, done: set[str]) -> None:
        """Refresh what is due, but none of those that are `done`, which grows by each.

        What failed is tried again by the next run that finds it due.
        """
        with self._threads() as pool:
            while not (stop and stop.is_set()):
                self.lake.writer.ensure()
                self._look(done=done)
                if not self._waves:
                    break
                while self._waves and not (stop and stop.is_set()):
                    self._advance(pool, done)
                    if self._waves:
                        self._rest()
            self._abandon()

    def run_forever(self, stop: threading.Event) -> None:
        """Refresh tables when they are due, until `stop` is set; what is under way ends first."""
        with self._threads() as pool:
            while not stop.is_set():
                if self.lake.writer.fencing is None:
                    # Whoever runs the pipes beside this takes the lake, and repairs it first.
                    stop.wait(_STANDBY)
                    continue
                try:
                    begun = time.monotonic()
                    self._look()
                    self.measure(time.monotonic() - begun)
                    self._advance(pool)
                except TransientError:
                    stop.wait(_STANDBY)
                self._rest()
            self._abandon()

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="headwater-refresh")

    def _look(self, done: Collection[str] = ()) -> None:
        """Read the schedules, and begin the wave of this moment if there is one."""
        tables = self.lake.store.schedules.list()
        marks = changed_marks(tables)
        if marks:
            self.lake.store.schedules.mark(marks)
            tables = self.lake.store.schedules.list()
        tick = self._plan(tables, done)
        if tick.wave.tables:
            self._waves.append((WaveRun(tick.wave), pin_wave(self.lake, tick.wave)))
        scheduled = sum(table.schedule is not None for table in tables)
        self.tell(Told(scheduled, len(self._running), tick.held))

    def _plan(self, tables: list[ScheduledTable], done: Collection[str]) -> Tick:
        """The wave of now, without tables that somebody refreshes by hand at this moment."""
        busy = frozenset[str]().union(*(run.left for run, _ in self._waves))
        tick = plan_wave(tables, now(), busy=busy, done=done)
        by_hand = self.lake.store.refreshes.running([table.id for table in tick.wave.tables])
        if by_hand:
            tick = plan_wave(tables, now(), busy=busy | by_hand, done=done)
        return tick

    def _advance(self, pool: ThreadPoolExecutor, done: set[str] | None = None) -> None:
        """Take what has ended, and begin what may begin."""
        for work in [work for work in self._running if work.future and work.future.done()]:
            self._running.remove(work)
            self._end(work, done)
        for run, pins in self._waves:
            self._queue.extend(_Work(run, pins, table) for table in run.take_ready())
        self._submit(pool)
        self._waves = [(run, pins) for run, pins in self._waves if not run.over]

    def _end(self, work: _Work, done: set[str] | None) -> None:
        assert work.future is not None
        known, outcome = set(work.run.skipped), work.future.result()
        work.run.end(work.table.id, outcome.ended)
        if outcome.ended is Ended.OVERTAKEN:
            self._overtaken[work.table.id] += 1
        tried = self._overtaken[work.table.id] >= _MOST_TRIES
        if done is not None and (tried or outcome.ended in (Ended.DONE, Ended.FAILED)):
            done.add(work.table.id)
        if outcome.problem is not None:
            self.fail(work.table, outcome.problem)
        for table in work.run.wave.tables:
            if table.id in work.run.skipped.keys() - known:
                self.fail(table, work.run.skipped[table.id])

    def _submit(self, pool: ThreadPoolExecutor) -> None:
        taken = Counter(work.cluster for work in self._running)
        waiting = list(self._queue)
        self._queue.clear()
        for work in waiting:
            if taken[work.cluster] >= self.lake.config.refreshes_at_once:
                self._queue.append(work)
                continue
            taken[work.cluster] += 1
            work.future = pool.submit(
                refresh_in_wave, self.lake, self.refresh, work.table, work.pins
            )
            work.future.add_done_callback(lambda _: self._woken.set())
            self._running.append(work)

    def _rest(self) -> None:
        """Wait, but no longer than until a refresh ends."""
        self._woken.wait(_LOOK)
        self._woken.clear()

    def _abandon(self) -> None:
        """Begin nothing more, and take the end of what runs."""
        self._queue.clear()
        for work in self._running:
            self._end(work, None)
        self._running.clear()
        self._waves.clear()
