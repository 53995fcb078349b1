"""The list of pipes."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.ages import aged
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas, listed_details, sql_name
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
    ListColumn("status", "Status", chip=True, hint=lambda row: row["reason"]),
    ListColumn("pipe_kind", "Source"),
    ListColumn("pending", "Pending"),
    ListColumn("oldest", "Oldest pending"),
    ListColumn("failed", "Failed", number=True),
    ListColumn("last_batch", "Last batch"),
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
    found: Rows = []
    for row in await in_all_schemas(desk, "SHOW PIPES"):
        name = sql_name(row["schema_name"], row["pipe_name"])
        details = await listed_details(desk, f"DESC PIPE EXTENDED {name}")
        if details is not None:
            found.append(row | _details(desk, PipeFacts(details)))
    return found


def _details(desk: Desk, known: PipeFacts) -> dict[str, Any]:
    return {
        "reason": known.text("invalid_reason"),
        "pending": known.pending,
        "oldest": aged(desk, known.text("oldest_pending_time")),
        "failed": known.failures,
        "last_batch": known.text("last_batch_time"),
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
