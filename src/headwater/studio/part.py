"""A part of a page: asks for what it shows, and shows that it waits, that nothing is there, or why
it cannot.

Law: a part whose answer has not changed is not drawn again, so a page at rest stays at rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from nicegui import background_tasks, ui

from headwater.errors import HeadwaterError
from headwater.studio.desk import Desk
from headwater.studio.problem import show_problem

Data = TypeVar("Data")
Update = Callable[[Data], None]
_NOTHING = object()


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
    ) -> None:
        """`live` parts ask again when something changed in the lake; `every` seconds, too."""
        self._ask = ask
        self._show = show
        self._update: Update[Data] | None = None
        self._shown: object = _NOTHING
        self._turn = asyncio.Lock()
        with ui.column().classes("w-full gap-3 min-w-0") as self._place:
            ui.skeleton().classes("w-full h-8").props('aria-label="Loading"')
        client = ui.context.client
        if live:
            desk.desks.pulse.follow(self, self.refresh)
            client.on_delete(lambda: desk.desks.pulse.let_go(self))
        if every is not None:
            ui.timer(every, self.refresh, immediate=False)
        background_tasks.create(self.refresh(), name="studio part")

    async def refresh(self) -> None:
        """Ask again, and draw what has changed."""
        async with self._turn:
            try:
                data = await self._ask()
            except HeadwaterError as error:
                if not self._place.is_deleted:
                    self._fail(error)
                return
            # The page may have been left while the answer was on its way.
            if data == self._shown or self._place.is_deleted:
                return
            if self._update is not None and data:
                self._update(data)
            else:
                self._place.clear()
                with self._place:
                    self._update = self._show(data)
            self._shown = data

    def _fail(self, error: HeadwaterError) -> None:
        self._update, self._shown = None, _NOTHING
        self._place.clear()
        with self._place:
            show_problem(error, again=self.refresh)
