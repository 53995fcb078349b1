"""When a part asks, and what it shows while the rest of its answer is on its way.

The page is NiceGUI's own stand-in for a browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing.user_simulation import user_simulation

from headwater.errors import UserError
from headwater.service.events import Events
from headwater.studio import part as part_module
from headwater.studio.answered import was_answered
from headwater.studio.part import Part, Update
from headwater.studio.pulse import Pulse

pytestmark = pytest.mark.servers
Rows = list[str]


class Page:
    """A part whose whole answer comes when it is let go."""

    def __init__(self, first: Callable[[], Awaitable[Rows]] | None = None) -> None:
        self.let_go = asyncio.Event()
        self.sent = was_answered()
        self.asked = 0
        self.updates: list[Rows] = []
        self._first = first
        self.part: Part[Rows]

    def root(self) -> None:
        desk: Any = SimpleNamespace(
            desks=SimpleNamespace(pulse=Pulse(Events())), answered=self.sent
        )
        self.part = Part(desk, self.ask, self.show, first=self._first)

    async def ask(self) -> Rows:
        self.asked += 1
        await self.let_go.wait()
        return ["a, all of it"]

    def show(self, rows: Rows) -> Update[Rows]:
        label = ui.label(rows[0])

        def update(newer: Rows) -> None:
            self.updates.append(newer)
            label.set_text(newer[0])

        return update


async def _known() -> Rows:
    return ["a"]


def test_what_is_known_is_shown_until_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_module, "_QUICK_SECONDS", 0.05)

    async def scene() -> None:
        page = Page(_known)
        async with user_simulation(page.root) as user:
            await user.open("/")
            await user.should_see("a")
            await user.should_see(ui.linear_progress)
            await user.should_not_see(ui.skeleton)
            page.let_go.set()
            await user.should_see("a, all of it")
            await user.should_not_see(ui.linear_progress)
            # In place: what was scrolled and filtered stays so.
            assert page.updates == [["a, all of it"]]

    asyncio.run(scene())


def test_an_answer_that_is_quick_comes_in_one_step() -> None:
    async def never() -> Rows:
        raise AssertionError("nobody had to wait")

    async def scene() -> None:
        page = Page(never)
        page.let_go.set()
        async with user_simulation(page.root) as user:
            await user.open("/")
            await user.should_see("a, all of it")
            assert page.updates == []

    asyncio.run(scene())


@pytest.mark.parametrize("known", ["nothing", "an error"])
def test_without_anything_known_it_waits_for_the_whole(
    known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_module, "_QUICK_SECONDS", 0.05)
    tried = asyncio.Event()

    async def first() -> Rows:
        tried.set()
        if known == "an error":
            raise UserError("UNAUTHENTICATED")
        return []

    async def scene() -> None:
        page = Page(first)
        async with user_simulation(page.root) as user:
            await user.open("/")
            await asyncio.wait_for(tried.wait(), 10)
            await user.should_see(ui.skeleton)
            page.let_go.set()
            await user.should_see("a, all of it")

    asyncio.run(scene())


def test_nothing_is_drawn_before_the_page_was_sent() -> None:
    async def scene() -> None:
        page = Page()
        page.let_go.set()
        page.sent.clear()
        async with user_simulation(page.root) as user:
            await user.open("/")
            async with asyncio.timeout(10):
                while not page.asked:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            await user.should_see(ui.skeleton)
            page.sent.set()
            await user.should_see("a, all of it")

    asyncio.run(scene())


def test_a_page_that_was_left_asks_once_and_when_it_is_back() -> None:
    async def scene() -> None:
        page = Page()
        page.let_go.set()
        async with user_simulation(page.root) as user:
            await user.open("/")
            await user.should_see("a, all of it")
            told, client = page.part._told, user.client
            assert client is not None
            await told()
            assert page.asked == 2
            there, client.tab_id = client.tab_id, None
            await told()
            await told()
            assert page.asked == 2
            client.tab_id = there
            await page.part._back()
            await page.part._back()
            assert page.asked == 3

    asyncio.run(scene())
