"""A part that is drawn anew: what was drawn before takes presses for a while, then it is forgotten.

The page is NiceGUI's own stand-in for a browser; `tests/studio` has a real one.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing.user_simulation import user_simulation

from headwater.service.events import Events
from headwater.studio import part as part_module
from headwater.studio.answered import was_answered
from headwater.studio.part import Part
from headwater.studio.pulse import Pulse


class Page:
    """A part with a button for what its answer is."""

    def __init__(self) -> None:
        self.answer = "first"
        self.pressed: list[str] = []
        self.buttons: dict[str, ui.button] = {}
        self._listeners: dict[str, str] = {}
        self.part: Part[str]

    def root(self) -> None:
        desk: Any = SimpleNamespace(
            desks=SimpleNamespace(pulse=Pulse(Events())), answered=was_answered()
        )
        self.part = Part(desk, self.ask, self.show)

    async def ask(self) -> str:
        return self.answer

    def show(self, answer: str) -> None:
        button = ui.button(answer, on_click=lambda: self.pressed.append(answer))
        (listener,) = (one for one in button._event_listeners.values() if one.type == "click")
        self.buttons[answer], self._listeners[answer] = button, listener.id

    def press(self, answer: str) -> None:
        """As a browser does that has not heard yet what was drawn since."""
        button, listener = self.buttons[answer], self._listeners[answer]
        button.client.handle_event({"id": button.id, "listener_id": listener, "args": []})


@pytest.mark.servers
def test_a_press_on_what_was_drawn_before_is_taken_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(part_module, "_HELD_SECONDS", 0.3)
    # Nobody answers scripts here: whether a button is held down is the real browser's to say.
    monkeypatch.setattr(Part, "_released", _at_once)

    async def scene() -> None:
        page = Page()
        async with user_simulation(page.root) as user:
            await user.open("/")
            await user.should_see("first")
            page.answer = "second"
            await page.part.refresh()
            await user.should_see("second")
            await user.should_not_see("first")
            page.press("first")
            page.press("second")
            assert page.pressed == ["first", "second"]
            await asyncio.sleep(0.6)
            assert page.buttons["first"].is_deleted
            assert not page.buttons["second"].is_deleted
            page.press("first")
            assert page.pressed == ["first", "second"]
            # The same answer draws nothing.
            shown = page.buttons["second"]
            await page.part.refresh()
            assert page.buttons["second"] is shown

    asyncio.run(scene())


@pytest.mark.servers
@pytest.mark.parametrize("where", ["ask", "show"])
def test_a_part_that_fails_by_a_bug_says_so_and_waits_no_longer(
    where: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Part, "_released", _at_once)

    async def scene() -> None:
        page, fails = Page(), [True]
        works = getattr(page, where)

        def broken(*given: str) -> Any:
            if where == "show":
                ui.label("half drawn")
            raise KeyError("oldest_pending")

        setattr(page, where, lambda *given: (broken if fails else works)(*given))
        async with user_simulation(page.root) as user:
            await user.open("/")
            await user.should_see("BUG: this is a bug in Headwater: KeyError('oldest_pending')")
            await user.should_not_see("Traceback")
            await user.should_not_see("half drawn")
            await user.should_not_see(ui.skeleton)
            assert "cannot be shown" in caplog.text
            caplog.clear()
            fails.clear()
            user.find("Try again").click()
            await user.should_see("first")
            await user.should_not_see("BUG")

    asyncio.run(scene())


async def _at_once(part: Part[str]) -> None:
    """No button is held down."""
