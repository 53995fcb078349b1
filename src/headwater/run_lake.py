"""Everything of a lake that runs by itself: pipes, the schedule, tasks, alerts, upkeep."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from headwater.alerts.loop import AlertLoop
from headwater.catalog.pipes import Pipe
from headwater.catalog.schedules import ScheduledTable
from headwater.catalog.tasks import Task as ScheduledTask
from headwater.catalog.tasks import TaskInstance
from headwater.pipes.batches import Batch
from headwater.pipes.loop import PipeLoop
from headwater.pipes.loop import Told as PipesTold
from headwater.pipes.open_pipe import OpenPipe
from headwater.run_pipes import PipeSessions, pipe_loop
from headwater.run_refreshes import RefreshSessions
from headwater.run_sample import SampleLoop, SampleSession
from headwater.run_tasks import TaskRunner
from headwater.run_upkeep import UpkeepSession
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.schedule.loop import ScheduleLoop
from headwater.schedule.loop import Told as ScheduleTold
from headwater.tasks.loop import TaskLoop
from headwater.upkeep.loop import UpkeepLoop
from headwater.upkeep.tasks import Task

_LOOK = 1.0


class Listener(Protocol):
    """Who is told what is going on; from several threads."""

    def show(self, told: PipesTold) -> None: ...

    def loaded(self, pipe: OpenPipe, batch: Batch, message: str) -> None: ...

    def pipe_failed(self, pipe: Pipe) -> None: ...

    def show_schedule(self, told: ScheduleTold) -> None: ...

    def refreshed(self, table: ScheduledTable, message: str) -> None: ...

    def failed(self, table: ScheduledTable, message: str) -> None: ...

    def kept_up(self, task: Task, message: str) -> None: ...

    def task_ended(self, task: ScheduledTask, instance: TaskInstance) -> None: ...


@dataclass(slots=True)
class LakeRun:
    """Runs the pipes, the schedule, the tasks, the alerts and the upkeep of a lake side by side."""

    lake: OpenLake
    listener: Listener | None = None
    _pipe_sessions: PipeSessions = field(init=False)
    _refresh_sessions: RefreshSessions = field(init=False)
    _pipes: PipeLoop = field(init=False)
    _schedule: ScheduleLoop = field(init=False)
    _upkeep_session: UpkeepSession = field(init=False)
    _upkeep: UpkeepLoop = field(init=False)
    _sample_session: SampleSession = field(init=False)
    _sample: SampleLoop = field(init=False)
    _tasks: TaskLoop = field(init=False)
    _alerts: AlertLoop = field(init=False)

    def __post_init__(self) -> None:
        lake, listener = self.lake, self.listener
        self._pipe_sessions, self._refresh_sessions = PipeSessions(lake), RefreshSessions(lake)
        self._pipes = pipe_loop(lake, self._pipe_sessions)
        self._schedule = ScheduleLoop(lake, self._refresh_sessions.run)
        self._upkeep_session = UpkeepSession(lake)
        self._upkeep = UpkeepLoop(lake, self._upkeep_session.run)
        self._sample_session = SampleSession(lake)
        self._sample = SampleLoop(lake, self._sample_session.run)
        self._tasks = TaskLoop(lake, TaskRunner(lake).run)
        self._alerts = AlertLoop(lake)
        if listener is not None:
            self._tasks.tell = listener.task_ended
            self._pipe_sessions.tell = listener.loaded
            self._refresh_sessions.tell = listener.refreshed
            self._pipes.tell = listener.show
            self._pipes.fail = listener.pipe_failed
            self._schedule.tell = listener.show_schedule
            self._schedule.fail = listener.failed
            self._upkeep_session.tell = listener.kept_up

    def run_until_idle(self, stop: threading.Event | None = None, *, upkeep: bool = False) -> None:
        """Load what there is, refresh what is due, each table once; then again what came meanwhile.

        Pipes come first: a refresh sees what they have loaded, and a task what was refreshed. Tasks
        are due up to the moment this began. Upkeep comes last, if it is wanted.
        """
        done, until = set[str](), now()
        while not (stop and stop.is_set()):
            self._pipes.run_until_idle(stop)
            before = len(done)
            self._schedule.run_until_idle(stop, done)
            if not self._tasks.run_until_idle(stop, until=until) and len(done) == before:
                break
        self._alerts.step()
        if upkeep:
            self._upkeep.run_until_done(stop)

    def run_forever(self, stop: threading.Event) -> None:
        """Load what comes, refresh what is due, until `stop` is set; what is at work ends first.

        Upkeep that is at work then is cancelled: nobody waits for it. ENGINE_LOST ends it too.
        """
        failed = list[BaseException]()

        def guarded(work: Callable[[threading.Event], None]) -> None:
            try:
                work(stop)
            except BaseException as error:
                failed.append(error)
                stop.set()

        beside = [
            threading.Thread(target=guarded, args=(work,), name=f"headwater-{name}")
            for name, work in (
                ("schedule", self._schedule.run_forever),
                ("upkeep", self._upkeep.run_forever),
                ("sample", self._sample.run_forever),
                ("tasks", self._tasks.run_forever),
                ("alerts", self._alerts.run_forever),
                ("spark", self._watch_spark),
            )
        ]
        for thread in beside:
            thread.start()
        guarded(self._pipes.run_forever)
        self._upkeep_session.cancel()
        for thread in beside:
            thread.join()
        if failed:
            raise failed[0]

    def _watch_spark(self, stop: threading.Event) -> None:
        """Raise when Spark has ended by itself: another process can do what this one cannot."""
        while not stop.wait(_LOOK):
            lost = self.lake.engine.lost()
            if lost is not None:
                raise lost

    def measure_ticks(self, measure: Callable[[float], None]) -> None:
        """Have `measure` told how long each look at the schedule takes, in seconds."""
        self._schedule.measure = measure

    def cancel(self) -> None:
        """Cancel what runs now."""
        self._pipe_sessions.cancel()
        self._refresh_sessions.cancel()
        self._upkeep_session.cancel()
        self._sample_session.cancel()
        self._tasks.cancel()

    def close(self) -> None:
        """Give all sessions back."""
        self._pipe_sessions.close()
        self._refresh_sessions.close()
        self._upkeep_session.close()
        self._sample_session.close()


def run_until_idle(lake: OpenLake) -> None:
    """Run every pipe until none has anything left to load, and every refresh that is due.

    While another thread does it, this one waits. The lease cannot tell them apart: each would take
    the other's batches for those of a process that has died.
    """
    with lake.turn, closing(LakeRun(lake)) as run:
        run.run_until_idle()
