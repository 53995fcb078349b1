"""The list of volumes."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.sql.volume_refs import VolumeKind
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas
from headwater.studio.lazy_tabs import lazy_tabs
from headwater.studio.listing import ROW, ListColumn, listing, studio_link, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.volume_names import Volume

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

_TABLES = (
    ListColumn(
        "table_name",
        "Table",
        link=lambda row: Volume(VolumeKind.TABLE, row["schema_name"], row["table_name"]).page,
    ),
    ListColumn("schema_name", "Schema"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def volumes(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Volumes", here=PATH):
            heading("Volumes", "Folders of files, here or in a bucket")
            studio_link("My files", Volume(VolumeKind.USER).page)
            lazy_tabs(
                {
                    "Volumes": lambda: Part(
                        desk, lambda: in_all_schemas(desk, "SHOW VOLUMES"), _show
                    ),
                    "Volumes of tables": lambda: Part(desk, lambda: _ask_tables(desk), _tables),
                }
            )


async def _ask_tables(desk: Desk) -> Rows:
    """The tables: each has a volume of its own."""
    found = await in_all_schemas(desk, "SHOW TABLES")
    return [
        {"schema_name": row["schema_name"], "table_name": row["table_name"]}
        for row in found
        if not row["is_view"]
    ]


def _tables(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty("No table yet", "Every table has a volume for files of its own.")
        return None
    return listing(_TABLES, rows, key=ROW, label="Volumes of tables")


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
