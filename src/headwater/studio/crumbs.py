"""The way back to where a page is listed."""

from __future__ import annotations

from nicegui import ui

from headwater.studio.listing import studio_link, studio_path


def crumbs(*steps: tuple[str, ...]) -> None:
    """Links above a heading; each step is what it is called, and the parts of its path.

    A step without a path has no page of its own.
    """
    with (
        ui.element("nav").props('aria-label="Way back"').classes("flex flex-row gap-2 items-center")
    ):
        for place, (name, *parts) in enumerate(steps):
            if place:
                ui.label("/").classes("hw-muted text-sm").props("aria-hidden=true")
            if parts:
                studio_link(name, studio_path(*parts)).classes("text-sm")
            else:
                ui.label(name).classes("hw-muted text-sm")
