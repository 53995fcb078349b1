"""An error as a page shows it: what is wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.sql.masking import mask


def show_problem(
    error: HeadwaterError, *, again: Callable[[], Awaitable[None]] | None = None
) -> None:
    """The error in full, with a way to try once more."""
    with ui.column().classes("hw-error gap-1").props("role=alert"):
        ui.label(error.condition).classes("hw-bad hw-mono text-sm")
        with ui.element("pre").classes("hw-sql"):
            ui.label(mask(str(error)))
        if error.condition == "UNAUTHENTICATED":
            ui.link("Log in again", "/login").classes("hw-link")
        elif again is not None:
            ui.button("Try again", on_click=again).props("flat dense no-caps")


def show_empty(what: str, next_step: str = "", example: str = "") -> None:
    """That nothing is there yet, and how something would get there."""
    with ui.column().classes("hw-empty items-center gap-2"):
        ui.label(what).classes("font-semibold")
        if next_step:
            ui.label(next_step).classes("hw-muted")
        if example:
            with ui.element("pre").classes("hw-sql text-left"):
                ui.label(example)
