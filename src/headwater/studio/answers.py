"""Answers that open pages share: what several ask in the same moment is asked once.

Laws: an answer goes to the user it was given to, in the zone it was given in; it is no older than
the newest change in the lake, and never older than a moment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass

from headwater.result import Result
from headwater.service.events import Events
from headwater.studio.pulse import changes_something

_SECONDS = 2.0
_MOST = 200


@dataclass(frozen=True, slots=True)
class _Given:
    answer: asyncio.Future[Result]
    asked_at: float


class Answers:
    """Lives on the loop of the web server; so do those who ask."""

    def __init__(self, events: Events, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._clock = clock
        self._reached = events.last
        self._given: dict[Hashable, _Given] = {}

    async def of(self, key: Hashable, ask: Callable[[], Awaitable[Result]]) -> Result:
        """The answer that somebody gets just now, or a new one; `key` says all that it hangs on."""
        self._forget_old()
        found = self._given.get(key)
        if found is None or _failed(found.answer):
            # Who asked first may leave its page before the answer is there: others wait for it.
            found = _Given(asyncio.ensure_future(ask()), self._clock())
            found.answer.add_done_callback(_seen)
            self._given[key] = found
        return await asyncio.shield(found.answer)

    def forget(self) -> None:
        """Something was done: the next one who asks is to see it."""
        self._given.clear()

    def _forget_old(self) -> None:
        news = self._events.after(self._reached)
        missed = bool(news) and news[0].number != self._reached + 1
        self._reached = news[-1].number if news else self._reached
        if missed or any(changes_something(event) for event in news) or len(self._given) > _MOST:
            self.forget()
        oldest = self._clock() - _SECONDS
        for key in [key for key, given in self._given.items() if given.asked_at < oldest]:
            del self._given[key]


def _failed(answer: asyncio.Future[Result]) -> bool:
    return answer.done() and (answer.cancelled() or answer.exception() is not None)


def _seen(answer: asyncio.Future[Result]) -> None:
    """An error is told to those who wait; when nobody does any more, it is nobody's."""
    if not answer.cancelled():
        answer.exception()
