"""A part of a page: asks for what it shows, and shows that it waits, that nothing is there, or why
it cannot.

Laws: a part whose answer has not changed is not drawn again, so a page at rest stays at rest. No
part waits for ever: what goes wrong while it asks or draws is shown in its place. A press is not
lost to a part that is drawn anew: a button that is held down is waited for, and one that was on its
way is still taken by what was drawn before. A page that no browser looks at asks nothing: it asks
once when the browser is back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from nicegui import background_tasks, ui

from headwater.errors import HeadwaterError, InternalError
from headwater.studio.desk import Desk
from headwater.studio.problem import show_problem

Data = TypeVar("Data")
Drawn = TypeVar("Drawn")
Update = Callable[[Data], None]
_NOTHING = object()
_log = logging.getLogger(__name__)
_REPORT = "the log of the service has the rest: please report it"
_QUICK_SECONDS = 0.3
"""A browser takes about that long to be ready: what is there by then need not come in two steps."""
_HELD_SECONDS = 2.0
"""How long a button may be held down, and how long a press may take to arrive."""
_RELEASED = """(async () => {
  if (!document.getElementById("c%d")?.matches(":active")) return;
  await new Promise(done => {
    addEventListener("pointerup", () => setTimeout(done, 50), { once: true });
    setTimeout(done, %d);
  });
})()"""


class Part(Generic[Data]):
    """`show` draws the data; what it gives back, if anything, is told of newer data instead.

    When nothing is left, `show` is asked again, because that looks different.
    """

    def __init__(
        self,
        desk: Desk,
        ask: Callable[[], Awaitable[Data]],
        show: Callable[[Data], Update[Data] | None],
        *,
        live: bool = True,
        every: float | None = None,
        first: Callable[[], Awaitable[Data]] | None = None,
    ) -> None:
        """`live` parts ask again when something changed in the lake; `every` seconds, too.

        Where the whole answer may take long, `first` gives what is known at once: it is shown
        until the rest is there.
        """
        self._ask = ask
        self._page_sent = desk.answered
        self._first = first
        self._show = show
        self._update: Update[Data] | None = None
        self._shown: object = _NOTHING
        self._turn = asyncio.Lock()
        self._missed = False
        with ui.column().classes("w-full gap-0 min-w-0 relative") as self._place:
            self._drawn = _drawing()
        self._waiting = True
        with self._drawn:
            ui.skeleton().classes("w-full h-8").props('aria-label="Loading"')
        pulse = desk.desks.pulse
        if live:
            pulse.follow(self, self._told)
        if every is not None:
            pulse.every(every, self, self._told)
        client = ui.context.client
        client.on_connect(self._back)
        client.on_delete(lambda: pulse.let_go(self))
        background_tasks.create(self.refresh(), name="studio part")

    async def refresh(self) -> None:
        """Ask again, and draw what has changed."""
        async with self._turn:
            try:
                await self._refresh()
            except HeadwaterError as error:
                self._fail(error)
            except Exception as error:
                _log.exception("a part of a page of Studio cannot be shown")
                self._fail(InternalError("BUG", problem=repr(error), hint=_REPORT))

    async def _told(self) -> None:
        """Something may have changed, which only an open page has to know at once.

        NiceGUI keeps a page for half a minute after it was left, so who walks through Studio has
        dozens: to ask for all of them would keep the one that is looked at waiting.
        """
        if self._place.client.has_socket_connection:
            await self.refresh()
        else:
            self._missed = True

    async def _back(self) -> None:
        """The browser is there, for the first time or again."""
        if self._missed:
            self._missed = False
            await self.refresh()

    async def _refresh(self) -> None:
        data = await self._answer()
        await self._page_sent.wait()
        # The page may have been left while the answer was on its way.
        if data == self._shown or self._place.is_deleted:
            return
        if self._update is not None and data:
            self._update(data)
        else:
            await self._released()
            if self._place.is_deleted:
                return
            self._update = self._draw(lambda: self._show(data))
        self._shown = data

    async def _answer(self) -> Data:
        """The answer; what is known at once is drawn if the rest keeps the page waiting."""
        first, self._first = self._first, None
        if first is None:
            return await self._ask()
        whole = asyncio.ensure_future(self._ask())
        done, _ = await asyncio.wait({whole}, timeout=_QUICK_SECONDS)
        if done:
            return await whole
        bar = await self._show_first(first)
        try:
            return await whole
        finally:
            if bar is not None and not bar.is_deleted:
                bar.delete()

    async def _show_first(self, first: Callable[[], Awaitable[Data]]) -> ui.element | None:
        """Draw what is known, and above it that the rest is on its way; None if nothing is."""
        try:
            data = await first()
            await self._page_sent.wait()
        except HeadwaterError:
            return None  # the whole answer says what is wrong, or is there all the same
        if not data or self._place.is_deleted:
            return None
        self._update = self._draw(lambda: self._show(data))
        self._shown = data
        with self._place:
            bar = ui.linear_progress(show_value=False).classes("hw-rest")
        return bar.props('indeterminate size=2px aria-label="Loading the rest"')

    def _fail(self, error: HeadwaterError) -> None:
        if self._place.is_deleted:
            return
        self._update, self._shown = None, _NOTHING
        self._draw(lambda: show_problem(error, again=self.refresh))

    def _draw(self, draw: Callable[[], Drawn]) -> Drawn:
        """Draw beside what is there, then let that go."""
        with self._place:
            new = _drawing()
        try:
            with new:
                made = draw()
        except BaseException:
            new.delete()
            raise
        old, self._drawn = self._drawn, new
        if self._waiting:
            # There was nothing to press.
            self._waiting = False
            old.delete()
        else:
            # Out of the page, but not forgotten yet.
            self._place.default_slot.children.remove(old)
            self._place.update()
            background_tasks.create(_forget_later(old), name="studio drawing")
        return made

    async def _released(self) -> None:
        """Wait until no button of what is drawn is held down."""
        client = self._place.client
        if self._waiting or not client.has_socket_connection:
            return
        with suppress(TimeoutError):
            await client.run_javascript(
                _RELEASED % (self._place.id, _HELD_SECONDS * 1000), timeout=_HELD_SECONDS + 1
            )


def _drawing() -> ui.column:
    return ui.column().classes("w-full gap-3 min-w-0")


async def _forget_later(old: ui.column) -> None:
    await asyncio.sleep(_HELD_SECONDS)
    if not old.is_deleted:
        old.client.remove_elements(old.descendants(include_self=True))
