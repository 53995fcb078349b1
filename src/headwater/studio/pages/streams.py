"""The streams: what they watch, how far they were consumed, and what waits in them."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import show_identifier
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas, sql_name
from headwater.studio.listing import ROW, ListColumn, Row, RowButtons, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.row_grid import first_rows, preview

PATH = "/streams"
Rows = list[dict[str, Any]]
_PREVIEW, _DROP = "Pending changes", "Drop"

_LATER = dict.fromkeys(("state", "offset", "current_offset_time", "stale_after", "warning"), None)
_COLUMNS = (
    ListColumn(
        "name", "Name", link=lambda row: studio_path("catalog", row["schema_name"], row["name"])
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("base", "Source"),
    ListColumn("mode", "Mode"),
    ListColumn("state", "State", chip=True, hint=lambda row: row["warning"]),
    ListColumn("offset", "Offset", mono=True),
    # What is known first has no moment by which the list could tell.
    ListColumn("current_offset_time", "Consumed up to", unbroken=True),
    ListColumn("stale_after", "Becomes stale", unbroken=True),
    ListColumn("warning", "Warning"),
    ListColumn("comment", "Comment"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def streams(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Streams", here=PATH):
            heading("Streams", "Changes of tables and volumes that wait to be consumed")
            screen = _Screen(desk)
            Part(desk, screen.ask, screen.show, every=30, first=screen.known)
            screen.place = ui.column().classes("w-full gap-2 min-w-0")


def state_of(known: Row) -> str:
    """A stream in a word.

    >>> state_of({"stale": False, "has_data": True}), state_of({"stale": True, "has_data": None})
    ('PENDING', 'STALE')
    """
    if known["stale"]:
        return "STALE"
    return {True: "PENDING", False: "NO_DATA"}.get(known["has_data"], "")


def _details(known: Row, workspace: str) -> dict[str, Any]:
    version, base = known["current_offset_version"], known["base_tables"] or "gone"
    return {
        # That it is in this workspace goes without saying.
        "base": base.removeprefix(f"{show_identifier(workspace)}."),
        "state": state_of(known),
        "offset": f"version\N{NO-BREAK SPACE}{version}" if version else known["offset"],
    }


class _Screen:
    """The list, and below it the changes of the stream that was chosen."""

    place: ui.column

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ask(self) -> Rows:
        """All streams with what is known of each."""
        rows = await in_all_schemas(self._desk, "SHOW TABLE STREAMS EXTENDED")
        return [row | _details(row, self._desk.workspace) for row in rows]

    async def known(self) -> Rows:
        """The same by the catalog alone: what waits in each stream is in the log of its table."""
        rows = await in_all_schemas(self._desk, "SHOW TABLE STREAMS")
        return [_LATER | row | {"base": row["table_name"]} for row in rows]

    def show(self, rows: Rows) -> Update[Rows] | None:
        """The streams in a grid."""
        if not rows:
            show_empty(
                "No stream yet",
                "Make one in the editor, on a table that keeps its changes:",
                "ALTER TABLE orders SET PROPERTIES ('change_tracking' = 'true');\n"
                "CREATE TABLE STREAM order_changes ON TABLE orders\n"
                "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')",
            )
            return None
        buttons = RowButtons(lambda row: (_PREVIEW, _DROP), self._pressed)
        return listing(_COLUMNS, rows, key=ROW, label="Streams", buttons=buttons)

    async def _pressed(self, name: str, row: Row) -> None:
        quoted = sql_name(row["schema_name"], row["name"])
        if name == _DROP:
            await confirm(self._desk, name, f"DROP TABLE STREAM {quoted}", danger=True)
            return
        self.place.clear()
        with self.place:
            ui.label(f"Pending changes of {row['name']}").classes("text-lg font-semibold")
            ui.label("To look at them does not consume them.").classes("hw-muted")
            preview(self._desk, first_rows(quoted), label="Pending changes")
