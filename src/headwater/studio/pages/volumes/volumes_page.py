"""The list of volumes."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.desk import Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas
from headwater.studio.listing import ROW, ListColumn, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

PATH = "/volumes"
Rows = list[dict[str, Any]]

_COLUMNS = (
    ListColumn(
        "volume_name",
        "Name",
        link=lambda row: studio_path("volumes", row["schema_name"], row["volume_name"]),
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("kind", "Kind", value=lambda row: "EXTERNAL" if row["external"] else "NAMED"),
    ListColumn("url", "Address", mono=True),
    ListColumn("connection", "Connection"),
    ListColumn("create_time", "Created"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def volumes(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Volumes", here=PATH):
            heading("Volumes", "Folders of files, here or in a bucket")
            Part(desk, lambda: in_all_schemas(desk, "SHOW VOLUMES"), _show)


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No volume yet",
            "Make one in the editor, here or over a bucket:",
            "CREATE VOLUME uploads;\n"
            "CREATE EXTERNAL VOLUME landing LOCATION 's3://my-bucket/landing/' USING CONNECTION c",
        )
        return None
    return listing(_COLUMNS, rows, key=ROW, label="Volumes")
