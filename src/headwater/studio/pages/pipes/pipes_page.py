"""The list of pipes."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.ages import aged
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas
from headwater.studio.listing import ROW, ListColumn, listing, studio_path
from headwater.studio.pages.pipes.pipe_facts import PipeFacts
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

PATH = "/pipes"
Rows = list[dict[str, Any]]

_COLUMNS = (
    ListColumn(
        "pipe_name",
        "Name",
        link=lambda row: studio_path("pipes", row["schema_name"], row["pipe_name"]),
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("status", "Status", chip=True, hint=lambda row: row["invalid_reason"]),
    ListColumn("pipe_kind", "Source"),
    ListColumn("pending", "Pending"),
    ListColumn("oldest", "Oldest pending", unbroken=True),
    ListColumn("failed", "Failed", number=True),
    ListColumn("last_batch_time", "Last batch"),
    ListColumn("virtual_cluster", "Virtual cluster"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def pipes(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Pipes", here=PATH):
            heading("Pipes", "What loads files and messages by itself")
            Part(desk, lambda: _ask(desk), _show, every=15)


async def _ask(desk: Desk) -> Rows:
    rows = await in_all_schemas(desk, "SHOW PIPES EXTENDED")
    return [row | _details(desk, PipeFacts(row)) for row in rows]


def _details(desk: Desk, known: PipeFacts) -> dict[str, Any]:
    return {
        "pending": known.pending,
        "oldest": aged(desk, known.rows["oldest_pending_time"]),
        "failed": known.failures,
    }


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No pipe yet",
            "Make one in the editor; it loads every file that arrives in a volume:",
            "CREATE PIPE orders_pipe VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE'\n"
            "AS COPY INTO orders FROM VOLUME inbox USING CSV PURGE = TRUE ON_ERROR = CONTINUE",
        )
        return None
    return listing(_COLUMNS, rows, key=ROW, label="Pipes")
