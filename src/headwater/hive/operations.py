"""A statement under way for a client: it runs on a thread of its own and keeps what it gave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from headwater.errors import HeadwaterError, InternalError
from headwater.result import Result, Row

DEFAULT_ROWS = 10_000
_ASK_AGAIN_SECONDS = 0.2


class State(Enum):
    """Where an operation is."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(slots=True)
class Operation:
    """Work that gives a result; `wait` and `state` may be asked from any thread."""

    work: Callable[[], Result]
    stop: Callable[[], None] = lambda: None
    state: State = State.RUNNING
    result: Result | None = None
    error: HeadwaterError | None = None
    _place: int = 0
    _done: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Begin, and come back at once."""
        threading.Thread(target=self.run, name="headwater-hive", daemon=True).start()

    def run(self) -> None:
        """Do the work on this thread, unless it was cancelled before it began."""
        if self.state is State.CANCELLED:
            self._done.set()
            return
        try:
            result, error = self.work(), None
        except HeadwaterError as failure:
            result, error = None, failure
        except Exception as failure:
            result, error = None, InternalError("BUG", problem=repr(failure), detail=repr(failure))
        with self._lock:
            self.result, self.error = result, error
            if self.state is State.RUNNING:
                self.state = State.FINISHED if error is None else State.FAILED
        self._done.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; False if it did not come in time."""
        return self._done.wait(seconds)

    def cancel(self) -> None:
        """Stop the work; one that is done stays as it is."""
        with self._lock:
            if self.state is not State.RUNNING:
                return
            self.state = State.CANCELLED
        threading.Thread(target=self._stop, name="headwater-hive-cancel", daemon=True).start()

    def _stop(self) -> None:
        """Ask until it is done: what is asked before the work has become a job is not heard."""
        while True:
            self.stop()
            if self._done.wait(_ASK_AGAIN_SECONDS):
                return

    def take(self, most: int) -> tuple[int, Sequence[Row]]:
        """The next rows, and the number of the first of them."""
        rows = [] if self.result is None else self.result.rows
        start = self._place
        self._place = min(len(rows), start + (most if most > 0 else DEFAULT_ROWS))
        return start, rows[start : self._place]

    def rewind(self) -> None:
        """Begin with the first row again."""
        self._place = 0
