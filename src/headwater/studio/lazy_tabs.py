"""Tabs that are drawn when they are first looked at, so that a page asks only for what is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nicegui import ui
from nicegui.events import ValueChangeEventArguments


def lazy_tabs(tabs: Mapping[str, Callable[[], object]]) -> None:
    """One tab per name; each is drawn by its function, once."""
    first = next(iter(tabs))
    undrawn = dict(tabs)
    with ui.tabs().props("dense no-caps align=left outside-arrows") as bar:
        for name in tabs:
            ui.tab(name)
    bar.classes("w-full")
    panels: dict[str, ui.tab_panel] = {}

    def draw(name: str) -> None:
        shown = undrawn.pop(name, None)
        if shown is not None:
            with panels[name]:
                shown()

    def turned(event: ValueChangeEventArguments) -> None:
        draw(str(event.value))

    with ui.tab_panels(bar, value=first, animated=False, on_change=turned) as area:
        for name in tabs:
            panels[name] = ui.tab_panel(name).classes("p-0 pt-2 gap-3 min-w-0")
    area.classes("w-full bg-transparent")
    draw(first)
