"""What is drawn when it is first opened, so that a page asks only for what is seen."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from nicegui.events import ValueChangeEventArguments


def lazy_expansion(title: str, draw: Callable[[], object]) -> None:
    """A title that opens; what is behind it is drawn once."""
    undrawn = [draw]

    def turned(event: ValueChangeEventArguments) -> None:
        if event.value and undrawn:
            with box:
                undrawn.pop()()

    box = ui.expansion(title, on_value_change=turned).classes("w-full")
