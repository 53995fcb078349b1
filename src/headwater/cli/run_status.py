"""What `headwater run` says: a line per batch, and on a terminal one line about the whole."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TextIO

from headwater.catalog.pipes import Pipe, PipeStatus
from headwater.names import counted
from headwater.pipes.batches import Batch
from headwater.pipes.loop import Told
from headwater.pipes.open_pipe import OpenPipe

_CLEAR = "\r\x1b[K"


@dataclass(slots=True)
class RunStatus:
    """Writes to a stream; safe to use from several threads."""

    stream: TextIO
    quiet: bool = False
    _line: str = ""
    _waiting: str | None = None
    _troubles: frozenset[str] = frozenset()
    _batches: int = 0
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

    def show(self, told: Told) -> None:
        """What the loop is at, in the last line of a terminal."""
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
        if self.quiet or not self.stream.isatty():
            return
        line = (
            f"{counted(told.pipes, 'pipe')} running, {told.busy} at work,"
            f" batches loaded: {self._batches}"
        )
        with self._lock:
            if line != self._line:
                self._line = line
                self.stream.write(_CLEAR + line)
                self.stream.flush()

    def say_invalid(self, pipes: Iterable[Pipe]) -> None:
        """Which pipes have stopped by themselves, and why; also when it is to be quiet."""
        for pipe in pipes:
            if pipe.status is PipeStatus.INVALID:
                reason = pipe.invalid_reason
                self.stream.write(f"pipe {pipe.schema}.{pipe.name} is INVALID: {reason}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            if self._line:
                self.stream.write(_CLEAR)
                self.stream.flush()
                self._line = ""
