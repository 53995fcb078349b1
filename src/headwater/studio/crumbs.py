"""Links inside Studio, and the way back to where a page is listed."""

from __future__ import annotations

from nicegui import ui

from headwater.studio.cookies import PREFIX
from headwater.studio.listing import studio_path


def inner_link(text: str, path: str) -> ui.link:
    """A link to a page of Studio, whose path is given in full; NiceGUI adds the prefix itself."""
    return ui.link(text, path.removeprefix(PREFIX)).classes("hw-link")


def crumbs(*steps: tuple[str, ...]) -> None:
    """Links above a heading; each step is what it is called, and the parts of its path."""
    with (
        ui.element("nav").props('aria-label="Way back"').classes("flex flex-row gap-2 items-center")
    ):
        for name, *parts in steps:
            inner_link(name, studio_path(*parts)).classes("text-sm")
            ui.label("/").classes("hw-muted text-sm").props("aria-hidden=true")
