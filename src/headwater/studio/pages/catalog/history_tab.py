"""The versions of a table: what it held then, and a way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from headwater.names import quote_literal
from headwater.studio.actions import confirm
from headwater.studio.described import Described
from headwater.studio.desk import Desk
from headwater.studio.facts import size_text
from headwater.studio.listing import ListColumn, Row, RowButtons, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.row_grid import first_rows, preview

Rows = list[dict[str, Any]]
_PREVIEW, _RESTORE = "Preview", "Restore"

_COLUMNS = (
    ListColumn("version", "Version", number=True),
    ListColumn("time", "Time"),
    ListColumn("operation", "Operation"),
    ListColumn("user", "User"),
    ListColumn("total_rows", "Rows", number=True),
    ListColumn("total_bytes", "Size", value=lambda row: size_text(row["total_bytes"])),
    ListColumn("job_id", "Job", link=lambda row: _job(row["job_id"])),
)


def _job(id: str | None) -> str:
    """Its page; a version that another tool made has none."""
    return studio_path("compute", "jobs", id) if id else ""


def history_tab(desk: Desk, known: Described, quoted: str) -> None:
    """The list of versions; below it the rows of the one that was chosen."""
    words = known.type if known.type in ("DYNAMIC TABLE", "MATERIALIZED VIEW") else "TABLE"
    restorable = words if words != "MATERIALIZED VIEW" else "DYNAMIC TABLE"
    place: list[ui.column] = []

    def travel(at: str) -> None:
        place[0].clear()
        statement = first_rows(f"{quoted} {at}")
        with place[0]:
            ui.label(at).classes("text-lg font-semibold")
            preview(desk, statement, label="Rows of a version")

    async def pressed(name: str, row: Row) -> None:
        at = f"VERSION AS OF {int(row['version'])}"
        if name == _PREVIEW:
            travel(at)
        else:
            statement = f"RESTORE {restorable} {quoted} TO {at}"
            await confirm(desk, name, statement, danger=True)

    def show(rows: Rows) -> Update[Rows]:
        newest = [rows[0]["version"]] if rows else [0]

        def of(row: Row) -> Sequence[str]:
            return [_PREVIEW] if row["version"] == newest[0] else [_PREVIEW, _RESTORE]

        buttons = RowButtons(of, pressed)
        update = listing(_COLUMNS, rows, key="version", label="Versions", buttons=buttons)

        def updated(newer: Rows) -> None:
            newest[0] = newer[0]["version"] if newer else 0
            update(newer)

        return updated

    Part(desk, lambda: desk.rows(f"DESC HISTORY {quoted}"), show)
    with ui.row().classes("items-center gap-2"):
        at_time = ui.input("Rows at a time", placeholder="2026-11-16 09:00:00")
        at_time.props("dense outlined")
        ui.button(
            "Preview at that time",
            on_click=lambda: travel(f"TIMESTAMP AS OF {quote_literal(at_time.value.strip())}"),
        ).props("outline dense no-caps").bind_enabled_from(at_time, "value", bool)
    place.append(ui.column().classes("w-full gap-2 min-w-0"))
