"""One statement, or script, that a client sent: where it is, and what came of it.

Invariant: it ends once, in a final state of a job, and tells those who wait for that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from headwater.catalog.jobs import FINAL_STATES, JobState
from headwater.errors import HeadwaterError
from headwater.result import Result
from headwater.service.identity import Identity
from headwater.service.lanes import Lane

Work = Callable[["Statement"], Generator[Result, None, None]]

_BYTES_PER_CELL = 100
"""What a value of a row made in Python takes, roughly."""


@dataclass(eq=False, slots=True)
class Statement:
    """Safe to read from any thread."""

    id: str
    owner: Identity
    text: str
    """As users may see it: masked."""
    lane: Lane
    work: Work
    session: str | None = None
    state: JobState = JobState.QUEUED
    job_ids: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    bytes: int = 0
    """What the results take in memory."""
    error: HeadwaterError | None = None
    schema: str | None = None
    """The current schema of its session when it ended."""
    submitted_at: float = field(default_factory=time.monotonic)
    ended_at: float | None = None
    cancel_asked: bool = False
    fetched: bool = False
    """Whether a client has had all its results."""
    done: threading.Event = field(default_factory=threading.Event)
    _told: list[Callable[[], None]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ended(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in FINAL_STATES

    def end(self, state: JobState, error: HeadwaterError | None = None) -> bool:
        """Give it its final state; False when it had one already."""
        assert state in FINAL_STATES
        with self._lock:
            if self.ended:
                return False
            self.error = error
            self.ended_at = time.monotonic()
            self.state = state
            told, self._told = self._told, []
            self.done.set()
        for callback in told:
            callback()
        return True

    def when_ended(self, callback: Callable[[], None]) -> None:
        """Call back when it has ended, from whatever thread; at once if it has."""
        with self._lock:
            if not self.ended:
                self._told.append(callback)
                return
        callback()


def size_of(result: Result) -> int:
    """What a result takes in memory, in bytes; a guess where its rows were made in Python."""
    if result.source is None:
        return 0
    if isinstance(result.source, list):
        return len(result.source) * len(result.schema) * _BYTES_PER_CELL
    return int(result.source.nbytes)
