"""The streams: what they watch, how far they were consumed, and what waits in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.actions import confirm
from headwater.studio.ages import aged
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas, listed_details, sql_name
from headwater.studio.listing import ROW, ListColumn, Row, RowButtons, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.row_grid import first_rows, preview

PATH = "/streams"
Rows = list[dict[str, Any]]
_PREVIEW, _DROP = "Pending changes", "Drop"

_COLUMNS = (
    ListColumn(
        "name", "Name", link=lambda row: studio_path("catalog", row["schema_name"], row["name"])
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("base", "Source"),
    ListColumn("mode", "Mode"),
    ListColumn("state", "State", chip=True, hint=lambda row: row["warning"]),
    ListColumn("offset", "Offset", mono=True),
    ListColumn("offset_time", "Consumed up to"),
    ListColumn("stale_after", "Becomes stale"),
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
            Part(desk, screen.ask, screen.show, every=30)
            screen.place = ui.column().classes("w-full gap-2 min-w-0")


def state_of(known: Mapping[str, Any]) -> str:
    """A stream in a word.

    >>> state_of({"stale": "false", "has_data": "true"}), state_of({"stale": "true"})
    ('PENDING', 'STALE')
    """
    if known.get("stale") == "true":
        return "STALE"
    return {"true": "PENDING", "false": "NO_DATA"}.get(str(known.get("has_data")), "")


class _Screen:
    """The list, and below it the changes of the stream that was chosen."""

    place: ui.column

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ask(self) -> Rows:
        """All streams with what is known of each."""
        found: Rows = []
        for row in await in_all_schemas(self._desk, "SHOW TABLE STREAMS"):
            name = sql_name(row["schema_name"], row["name"])
            known = await listed_details(self._desk, f"DESC TABLE STREAM EXTENDED {name}")
            if known is not None:
                found.append(row | self._details(known))
        return found

    def _details(self, known: Mapping[str, Any]) -> dict[str, Any]:
        version = known.get("current_offset_version")
        return {
            "base": known.get("base_tables") or "gone",
            "state": state_of(known),
            "offset": f"version {version}" if version else known.get("offset"),
            "offset_time": known.get("current_offset_time"),
            "stale_after": aged(self._desk, known.get("stale_after")),
            "warning": known.get("warning"),
        }

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
