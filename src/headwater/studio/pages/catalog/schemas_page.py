"""All schemas, and all their tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import in_all_schemas, schemas_of
from headwater.studio.listing import ROW, ListColumn, listing
from headwater.studio.pages.catalog.listed import KIND, NAME, PATH, SCHEMA, kind_of
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

Rows = list[dict[str, Any]]

_SCHEMA_COLUMNS = (
    SCHEMA,
    ListColumn("tables", "Tables", number=True),
    ListColumn("views", "Views", number=True),
    ListColumn("dynamic_tables", "Dynamic tables", number=True),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def catalog(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Catalog", here=PATH):
            heading("Catalog", "Schemas, tables and views")
            Part(desk, lambda: _schemas(desk), _show_schemas)
            ui.label("All tables and views").classes("text-lg font-semibold mt-4")
            Part(desk, lambda: in_all_schemas(desk, "SHOW TABLES"), _show_tables)


async def _schemas(desk: Desk) -> Rows:
    counts: dict[str, Counter[str]] = {schema: Counter() for schema in await schemas_of(desk)}
    for row in await in_all_schemas(desk, "SHOW TABLES"):
        counts.setdefault(row["schema_name"], Counter())[kind_of(row)] += 1
    return [
        {
            "schema_name": schema,
            "tables": count["TABLE"] + count["EXTERNAL TABLE"],
            "views": count["VIEW"],
            "dynamic_tables": count["DYNAMIC TABLE"] + count["MATERIALIZED VIEW"],
        }
        for schema, count in counts.items()
    ]


def _show_schemas(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No schema that you may see",
            "Ask an admin for a right on one:",
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO USER you",
        )
        return None
    return listing(_SCHEMA_COLUMNS, rows, key="schema_name", label="Schemas")


def _show_tables(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No table yet", "Make one in the editor:", "CREATE TABLE orders (id BIGINT, amount INT)"
        )
        return None
    return listing((NAME, SCHEMA, KIND), rows, key=ROW, label="Tables and views")
