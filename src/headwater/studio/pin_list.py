"""The pins in the frame: a button for the page that is open, and the list of all."""

from __future__ import annotations

from nicegui import ui

from headwater.studio.cookies import PINS, PREFIX
from headwater.studio.desk import Desk
from headwater.studio.pins import Pin, cookie_of, turned

_KEEP = "document.cookie = '{name}={value}; Path={prefix}; SameSite=Strict; Max-Age=31536000'"


class PinList:
    """What is pinned in this browser, as far as this page knows."""

    def __init__(self, desk: Desk, title: str) -> None:
        self._here = Pin(desk.path, title)
        self._pins = list(desk.look.pins)

    def button(self) -> None:
        """Pins the page, or takes its pin away."""
        self._button = ui.button(on_click=self._turn).props("flat round dense")
        self._show_button()

    def entries(self) -> None:
        """The pinned pages, in the navigation."""
        self._place = ui.column().classes("gap-0 w-full")
        self._show_entries()

    def _turn(self) -> None:
        self._pins = turned(self._pins, self._here)
        ui.run_javascript(_KEEP.format(name=PINS, value=cookie_of(self._pins), prefix=PREFIX))
        self._show_button()
        self._place.clear()
        self._show_entries()

    def _show_button(self) -> None:
        pinned = any(pin.path == self._here.path for pin in self._pins)
        self._button.props(f"icon={'star' if pinned else 'star_outline'}")
        self._button.props["aria-label"] = "Take the pin away" if pinned else "Pin this page"
        self._button.update()

    def _show_entries(self) -> None:
        if not self._pins:
            return
        with self._place:
            ui.label("Pinned").classes("hw-muted text-sm px-3 pt-3")
            for pin in self._pins:
                link = ui.element("a").classes("hw-nav text-sm")
                link.props["href"] = PREFIX + pin.path
                with link:
                    ui.icon("star").props("aria-hidden=true")
                    ui.label(pin.title).classes("min-w-0").style("overflow-wrap: anywhere")
