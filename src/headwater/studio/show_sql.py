"""Show SQL: the statements that gave what a page shows."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui

from headwater.studio.cookies import PREFIX
from headwater.studio.desk import Desk


def show_sql_button(desk: Desk) -> None:
    """The button that every page has."""

    def show() -> None:
        with ui.dialog() as dialog, ui.card().classes("w-full max-w-3xl"):
            ui.label("This page shows what these statements give").classes("font-semibold")
            for statement in desk.asked:
                sql_text(statement)
            if not desk.asked:
                ui.label("This page has asked nothing yet.").classes("hw-muted")
            ui.button("Close", on_click=dialog.close).props("flat")
        dialog.on("hide", dialog.delete)
        dialog.open()

    button = ui.button("Show SQL", icon="terminal", on_click=show).props("flat dense no-caps")
    button.classes("hw-show-sql").props('aria-label="Show SQL"')


def sql_text(statement: str) -> None:
    """A statement to read, to copy, or to go on with in the editor."""
    with ui.column().classes("w-full gap-1"):
        with ui.element("pre").classes("hw-sql"):
            ui.label(statement)
        with ui.row().classes("gap-2"):
            ui.button("Copy", icon="content_copy", on_click=lambda: copy(statement)).props(
                "flat dense no-caps size=sm"
            )
            # NiceGUI puts the prefix before what it links to.
            address = editor_link(statement).removeprefix(PREFIX)
            ui.link("Open in the editor", address).classes("hw-link text-sm")


def editor_link(statement: str) -> str:
    """The address of the editor with a statement in it, which does not run it."""
    return f"{PREFIX}/?sql={quote(statement)}"


def copy(text: str) -> None:
    """Put a text on the clipboard of the browser."""
    ui.clipboard.write(text)
    ui.notify("copied")
