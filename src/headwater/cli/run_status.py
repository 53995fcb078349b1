"""What `headwater run` says: a line per batch or refresh, on a terminal one about the whole."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TextIO

from headwater.catalog.pipes import Pipe, PipeStatus
from headwater.catalog.schedules import ScheduledTable
from headwater.catalog.tasks import Task as ScheduledTask
from headwater.catalog.tasks import TaskInstance
from headwater.names import counted
from headwater.pipes.batches import Batch
from headwater.pipes.loop import Told
from headwater.pipes.open_pipe import OpenPipe
from headwater.schedule.loop import Told as ScheduleTold
from headwater.upkeep.tasks import Task

_CLEAR = "\r\x1b[K"


@dataclass(slots=True)
class RunStatus:
    """Writes to a stream; safe to use from several threads."""

    stream: TextIO
    quiet: bool = False
    _line: str = ""
    _waiting: str | None = None
    _troubles: frozenset[str] = frozenset()
    _said: set[str] = field(default_factory=set)
    """What is wrong with pipes, as far as it was said."""
    _batches: int = 0
    _refreshes: int = 0
    _told: Told = field(default_factory=Told)
    _schedule: ScheduleTold = field(default_factory=ScheduleTold)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, text: str) -> None:
        """A line that stays."""
        if self.quiet:
            return
        with self._lock:
            clear = _CLEAR if self._line else ""
            self.stream.write(f"{clear}{text}\n{self._line}")
            self.stream.flush()

    def loaded(self, pipe: OpenPipe, batch: Batch, message: str) -> None:
        """A batch is done."""
        self._batches += 1
        at = datetime.now().strftime("%H:%M:%S")
        self.say(f"{at}  pipe {pipe.pipe.schema}.{pipe.pipe.name}, batch {batch.number}: {message}")

    def pipe_failed(self, pipe: Pipe) -> None:
        """A pipe failed, and tries again or has stopped."""
        at, told = datetime.now().strftime("%H:%M:%S"), _troubled(pipe)
        if not self.quiet:
            self._said.add(told)
        self.say(f"{at}  {told}")

    def refreshed(self, table: ScheduledTable, message: str) -> None:
        """A scheduled refresh is done."""
        self._refreshes += 1
        self.say(f"{datetime.now().strftime('%H:%M:%S')}  {message}")

    def failed(self, table: ScheduledTable, message: str) -> None:
        """A scheduled refresh failed, or could not be begun."""
        at = datetime.now().strftime("%H:%M:%S")
        self.say(f"{at}  dynamic table {table.name} not refreshed: {message}")

    def kept_up(self, task: Task, message: str) -> None:
        """Something of the upkeep is done."""
        self.say(f"{datetime.now().strftime('%H:%M:%S')}  upkeep, {task.text}: {message}")

    def task_ended(self, task: ScheduledTask, instance: TaskInstance) -> None:
        """An attempt of a task ended, well or not."""
        at, error = datetime.now().strftime("%H:%M:%S"), instance.error
        said = f": {error}" if error else ""
        self.say(f"{at}  task {task.name}, attempt {instance.attempt} {instance.state}{said}")

    def show_schedule(self, told: ScheduleTold) -> None:
        """What the loop of the schedule is at."""
        self._schedule = told
        self._show_line()

    def show(self, told: Told) -> None:
        """What the loop of pipes is at, in the last line of a terminal."""
        if told.waiting_for is not None:
            if self._waiting != told.waiting_for:
                self.say(f"waiting: {told.waiting_for}")
            self._waiting = told.waiting_for
            return
        self._waiting = None
        for trouble in told.troubles:
            if trouble not in self._troubles:
                self.say(trouble)
        self._troubles = frozenset(told.troubles)
        self._told = told
        self._show_line()

    def _show_line(self) -> None:
        if self.quiet or not self.stream.isatty():
            return
        told, schedule = self._told, self._schedule
        line = (
            f"{counted(told.pipes, 'pipe')} running, {told.busy} at work,"
            f" batches loaded: {self._batches}"
        )
        if schedule.tables:
            waiting = f", {len(schedule.held)} waiting" if schedule.held else ""
            tables = counted(schedule.tables, "table")
            line += f"; {tables} scheduled, {schedule.busy} at work{waiting}"
            line += f", refreshes: {self._refreshes}"
        with self._lock:
            if line != self._line:
                self._line = line
                self.stream.write(_CLEAR + line)
                self.stream.flush()

    def say_failing(self, tables: Iterable[ScheduledTable]) -> None:
        """Which tables are not as fresh as they should be, and why; also when it is to be quiet."""
        for table in tables:
            if table.suspended_by_failures:
                self.stream.write(
                    f"dynamic table {table.name} is suspended: {table.suspended_reason}\n"
                )
            elif table.failures and not table.suspended:
                times = counted(table.failures, "time")
                self.stream.write(f"dynamic table {table.name} failed {times} in a row\n")
        self.stream.flush()

    def say_invalid(self, pipes: Iterable[Pipe]) -> None:
        """Which pipes have stopped by themselves, or fail, and why; also when it is to be quiet."""
        for pipe in pipes:
            failing = pipe.failures and pipe.status is PipeStatus.RUNNING
            wrong = failing or pipe.status is PipeStatus.INVALID
            if wrong and (told := _troubled(pipe)) not in self._said:
                self.stream.write(f"{told}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            if self._line:
                self.stream.write(_CLEAR)
                self.stream.flush()
                self._line = ""


def _troubled(pipe: Pipe) -> str:
    name = f"pipe {pipe.schema}.{pipe.name}"
    if pipe.status is PipeStatus.INVALID:
        return f"{name} is INVALID: {pipe.invalid_reason}"
    return f"{name} failed {counted(pipe.failures, 'time')} in a row: {pipe.last_error}"
