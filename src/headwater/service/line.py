"""A line of statements that wait for their turn: who is next, and when the line is full. Pure.

Laws: at most `most_running` run at once, and of those that have a turn in common at most one; those
that may run start in the order in which they came; at most `most_waiting` wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Line(Generic[Item]):
    """Not for several threads at once: whoever owns it holds a lock."""

    most_running: int
    most_waiting: int
    _waiting: deque[tuple[Item, frozenset[str]]] = field(default_factory=deque)
    _running: list[tuple[Item, frozenset[str]]] = field(default_factory=list)

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

    def join(self, item: Item, turns: Iterable[str] = ()) -> None:
        """Wait at the end, and for all that take one of the same turns: a session, a table."""
        assert not self.full
        self._waiting.append((item, frozenset(turns)))

    def next(self) -> Item | None:
        """Who starts now; it counts as running until it leaves."""
        if len(self._running) >= self.most_running:
            return None
        busy = set[str]().union(*(turns for _, turns in self._running))
        for place, (item, turns) in enumerate(self._waiting):
            if busy.isdisjoint(turns):
                self._running.append(self._waiting[place])
                del self._waiting[place]
                return item
            # Who came later and wants the same does not overtake.
            busy |= turns
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
