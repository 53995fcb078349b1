"""What happened lately, in order: state changes of statements, batches, refreshes.

Invariant: an event has a number that grows by one; only the newest are kept, so that a reader that
falls behind misses some and costs nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; without an `owner` it is for everybody to see."""

    number: int
    kind: str
    data: Mapping[str, Any]
    owner: str | None = None


class Events:
    """Takes events from several threads, and gives them to readers that ask."""

    def __init__(self, *, kept: int = _KEPT) -> None:
        self._lock = threading.Lock()
        self._events: deque[Event] = deque(maxlen=kept)
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest event; 0 when there was none."""
        return self._last

    def publish(self, kind: str, data: Mapping[str, Any], *, owner: str | None = None) -> None:
        """Something happened."""
        with self._lock:
            self._last += 1
            self._events.append(Event(self._last, kind, data, owner))

    def after(self, number: int) -> list[Event]:
        """What came after the event of that number, as far as it is kept."""
        if number == self._last:
            return []
        with self._lock:
            return [event for event in self._events if event.number > number]
