"""A line of statements that wait for their turn: who is next, and when the line is full. Pure.

Laws: at most `most_running` run at once, and of one session at most one; those that may run start
in the order in which they came; at most `most_waiting` wait.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Line(Generic[Item]):
    """Not for several threads at once: whoever owns it holds a lock."""

    most_running: int
    most_waiting: int
    _waiting: deque[tuple[Item, str | None]] = field(default_factory=deque)
    _running: list[tuple[Item, str | None]] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many run."""
        return len(self._running)

    @property
    def full(self) -> bool:
        """Whether nobody may join."""
        return len(self._waiting) >= self.most_waiting

    def join(self, item: Item, session: str | None = None) -> None:
        """Wait at the end; with a `session`, also for the others of that session."""
        assert not self.full
        self._waiting.append((item, session))

    def next(self) -> Item | None:
        """Who starts now; it counts as running until it leaves."""
        if len(self._running) >= self.most_running:
            return None
        busy = {session for _, session in self._running if session is not None}
        for place, (item, session) in enumerate(self._waiting):
            if session not in busy:
                self._running.append(self._waiting[place])
                del self._waiting[place]
                return item
        return None

    def leave(self, item: Item) -> None:
        """What ran has ended."""
        self._running = [entry for entry in self._running if entry[0] != item]

    def withdraw(self, item: Item) -> bool:
        """Take out what still waits; False when it does not wait any more."""
        left = deque(entry for entry in self._waiting if entry[0] != item)
        found = len(left) < len(self._waiting)
        self._waiting = left
        return found
