"""Tabs whose content is made when they are first opened: what nobody looks at is not asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nicegui import ui


def opened_tabs(contents: Mapping[str, Callable[[], None]], *, label: str) -> None:
    """Draws the tabs, with the first one open; `contents` draw into where they are called."""
    names = list(contents)
    tabs = ui.tabs().props("dense no-caps align=left inline-label outside-arrows")
    tabs.props["aria-label"] = label
    tabs.classes("w-full")
    with tabs:
        for name in names:
            ui.tab(name)
    tabs.set_value(names[0])
    made = set[str]()
    with ui.tab_panels(tabs, value=names[0], animated=False).classes("w-full bg-transparent"):
        places = {name: _panel(name) for name in names}

    def open_tab() -> None:
        name = str(tabs.value)
        if name in made or name not in places:
            return
        made.add(name)
        with places[name]:
            contents[name]()

    tabs.on_value_change(open_tab)
    open_tab()


def _panel(name: str) -> ui.column:
    with ui.tab_panel(name).classes("px-0"):
        return ui.column().classes("w-full gap-4 min-w-0")
