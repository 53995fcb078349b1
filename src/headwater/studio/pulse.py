"""The pulse of Studio: tells open pages that something has changed, so that they ask again.

Invariant: whatever the number of pages, the events are looked at once; when nothing happens, that
is all that is done.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from headwater.catalog.jobs import FINAL_STATES
from headwater.service.events import Event, Events
from headwater.service.lanes import Lane

_LOOK_SECONDS = 0.5
_FINAL = frozenset(state.value for state in FINAL_STATES)

_log = logging.getLogger(__name__)

Told = Callable[[], Awaitable[None]]


class Pulse:
    """Lives on the loop of the web server; so do those it tells."""

    def __init__(self, events: Events, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._events = events
        self._told: dict[object, Told] = {}
        self._timed: dict[object, tuple[float, Told]] = {}

    def follow(self, key: object, told: Told) -> None:
        """Call back after changes, until `key` is let go."""
        self._told[key] = told

    def every(self, seconds: float, key: object, told: Told) -> None:
        """Call back every so many seconds, all who have the same period in the same moment.

        So that pages which show the same ask once for all of them.
        """
        self._timed[key] = (seconds, told)

    def let_go(self, key: object) -> None:
        """The page is gone."""
        self._told.pop(key, None)
        self._timed.pop(key, None)

    async def run(self) -> None:
        """Look for ever."""
        reached, looked_at = self._events.last, self._clock()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            now = self._clock()
            due = {
                key: told
                for key, (seconds, told) in self._timed.items()
                if now // seconds > looked_at // seconds
            }
            looked_at = now
            if self._events.last != reached:
                news = self._events.after(reached)
                reached = news[-1].number if news else self._events.last
                if any(changes_something(event) for event in news):
                    due |= self._told
            if due:
                await asyncio.gather(*(_tell(told) for told in due.values()))


async def _tell(told: Told) -> None:
    """One page that cannot be told, because it was just left perhaps, does not end the pulse."""
    try:
        await told()
    except Exception:
        _log.exception("a page of Studio could not be told of a change")


def changes_something(event: Event) -> bool:
    """Whether what pages show may be different now; a SHOW that has ended changes nothing.

    >>> changes_something(Event(1, "refresh", {"table": "t"}))
    True
    >>> changes_something(Event(1, "statement", {"state": "SUCCEED", "lane": "quick"}))
    False
    """
    if event.kind != "statement":
        return True
    data = event.data
    return data.get("state") in _FINAL and data.get("lane") != Lane.QUICK.value
