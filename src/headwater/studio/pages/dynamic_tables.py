"""The list of dynamic tables."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

PATH = "/dynamic-tables"
Rows = list[dict[str, Any]]

_COLUMNS = (
    ListColumn(
        "name",
        "Name",
        link=lambda row: studio_path("dynamic-tables", row["schema_name"], row["name"]),
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("state", "State", chip=True),
    ListColumn("refresh_mode", "Mode", chip=True),
    ListColumn("schedule", "Schedule"),
    ListColumn("last_refresh_time", "Last refresh"),
    ListColumn("last_refresh_state", "Result", chip=True),
    ListColumn("next_refresh_time", "Next refresh"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def dynamic_tables(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Dynamic tables", here=PATH):
            heading("Dynamic tables", "Queries that are kept up to date by what changed")
            Part(desk, lambda: _ask(desk), _show, every=15)


async def _ask(desk: Desk) -> Rows:
    return await desk.rows("SHOW DYNAMIC TABLES")


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No dynamic table yet",
            "Make one in the editor, from any SELECT:",
            "CREATE DYNAMIC TABLE totals REFRESH INTERVAL 1 MINUTE AS\n"
            "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer",
        )
        return None
    return listing(_COLUMNS, rows, key="name", label="Dynamic tables")
