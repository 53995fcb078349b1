"""An address by which others can read one file for a while."""

from __future__ import annotations

from nicegui import ui

from headwater.names import quote_literal
from headwater.studio.desk import Desk
from headwater.studio.part import Part
from headwater.studio.show_sql import sql_text

_SECONDS = 3600


async def show_link(desk: Desk, volume: str, path: str) -> None:
    """A dialog with the address, which the store signs."""
    address = f"GET_PRESIGNED_URL({volume}, {quote_literal(path)}, {_SECONDS})"

    async def ask() -> str:
        return str((await desk.ask(f"SELECT {address} AS url")).rows[0][0])

    with (
        ui.context.client.content,
        ui.dialog() as dialog,
        ui.card().classes("w-full max-w-2xl"),
    ):
        ui.label("Whoever has this address can read the file for an hour").classes("font-semibold")
        Part(desk, ask, sql_text, live=False)
        ui.button("Close", on_click=dialog.close).props("flat no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()
