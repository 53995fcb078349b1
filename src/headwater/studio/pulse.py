"""The pulse of Studio: tells open pages that something has changed, so that they ask again.

Invariant: whatever the number of pages, the events are looked at once; when nothing happens, that
is all that is done.
"""

from __future__ import annotations

import asyncio
import logging
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

    def __init__(self, events: Events) -> None:
        self._events = events
        self._told: dict[object, Told] = {}

    def follow(self, key: object, told: Told) -> None:
        """Call back after changes, until `key` is let go."""
        self._told[key] = told

    def let_go(self, key: object) -> None:
        """The page is gone."""
        self._told.pop(key, None)

    async def run(self) -> None:
        """Look for ever."""
        reached = self._events.last
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if self._events.last == reached:
                continue
            news = self._events.after(reached)
            reached = news[-1].number if news else self._events.last
            if any(changes_something(event) for event in news):
                await asyncio.gather(*(_tell(told) for told in list(self._told.values())))


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
