"""One attempt of an instance: what it runs, what it has to say, and whether it is to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.catalog.tasks import Task, TaskDefinition, TaskInstance
from headwater.errors import TransientError
from headwater.runtime.clock import now
from headwater.sql.masking import mask

_MOST_LOG = 64_000
_CUT = "[the beginning of the log is left out]\n"


@dataclass(slots=True)
class Attempt:
    """Shared by the thread that runs it and the loop that may cancel it."""

    task: Task
    definition: TaskDefinition
    instance: TaskInstance
    keep: Callable[[TaskInstance, list[str], str], bool]
    """Stores the log and the jobs so far; False when the attempt is no longer the one that runs."""
    job_ids: list[str] = field(default_factory=list)
    timed_out: bool = False
    _log: str = ""
    _stop: Callable[[], None] | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._log = self.instance.log

    @property
    def cancelled(self) -> bool:
        """Whether it is to stop."""
        return self._cancelled.is_set()

    def require_wanted(self) -> None:
        """Stop here if it is to stop."""
        if self.cancelled:
            raise TransientError("TASK_CANCELLED")

    def stoppable(self, stop: Callable[[], None] | None) -> None:
        """Says how to stop what it does now."""
        with self._lock:
            self._stop = stop
        if stop is not None and self.cancelled:
            stop()

    def cancel(self) -> None:
        """Stop it; from any thread, any number of times."""
        self._cancelled.set()
        with self._lock:
            stop = self._stop
        if stop is not None:
            stop()

    def say(self, text: str, *, job_id: str | None = None) -> None:
        """A line of the log, without credentials, and perhaps the job it speaks of."""
        if job_id:
            self.job_ids.append(job_id)
        log = f"{self._log}{now():%Y-%m-%d %H:%M:%S} {mask(text)}\n"
        self._log = log if len(log) <= _MOST_LOG else _CUT + log[-_MOST_LOG:].partition("\n")[2]
        self.keep(self.instance, self.job_ids, self._log)
