"""One schema: its tables and views, and the tables that were dropped and can come back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import quote_identifier
from headwater.studio.actions import confirm
from headwater.studio.crumbs import crumbs
from headwater.studio.desk import Desk, Desks
from headwater.studio.facts import facts, size_text
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import sql_name
from headwater.studio.lazy_expansion import lazy_expansion
from headwater.studio.listing import ROW, ListColumn, RowButtons, listing
from headwater.studio.pages.catalog.listed import KIND, NAME, PATH, tables_in
from headwater.studio.part import Part, Update
from headwater.studio.permissions import permissions
from headwater.studio.problem import show_empty

Rows = list[dict[str, Any]]
_UNDROP = "Undrop"

_TABLES = (
    NAME,
    KIND,
    ListColumn("rows", "Rows", number=True),
    ListColumn("bytes", "Size", value=lambda row: size_text(row.get("bytes"))),
    ListColumn("comment", "Comment"),
    ListColumn("creator", "Creator"),
    ListColumn("create_time", "Created", unbroken=True),
)
_DROPPED = (
    ListColumn("table_name", "Name"),
    ListColumn("delete_time", "Dropped"),
    ListColumn("rows", "Rows", number=True),
    ListColumn("retention_time", "Kept for days", number=True),
    ListColumn("creator", "Creator"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH + "/{schema}")
    async def schema_page(request: Request, schema: str) -> None:
        desk = desks.of(request)
        with frame(desk, schema, here=PATH):
            crumbs(("Catalog", "catalog"))
            heading(schema, "Schema")
            Part(
                desk,
                lambda: _tables(desk, schema),
                _show_tables,
                first=lambda: tables_in(desk, schema),
            )
            ui.label("Dropped tables").classes("text-lg font-semibold mt-2")
            ask = lambda: _dropped(desk, schema)  # noqa: E731
            Part(desk, ask, lambda rows: _show_dropped(desk, rows))
            lazy_expansion("About this schema", lambda: _about(desk, schema))


def _about(desk: Desk, schema: str) -> None:
    on = f"SCHEMA {quote_identifier(schema)}"
    Part(desk, lambda: desk.row(f"DESC {on}"), lambda known: facts(known))
    permissions(desk, on)


async def _tables(desk: Desk, schema: str) -> Rows:
    """What is in a schema, with the sizes, which are read from the logs of all tables."""
    rows = await tables_in(desk, schema)
    history = await desk.rows(f"SHOW TABLES HISTORY IN {quote_identifier(schema)}")
    more = {row["table_name"]: row for row in history if row["delete_time"] is None}
    return [more.get(row["table_name"], {}) | row for row in rows]


async def _dropped(desk: Desk, schema: str) -> Rows:
    rows = await desk.rows(f"SHOW TABLES HISTORY IN {quote_identifier(schema)}")
    return [row for row in rows if row["delete_time"] is not None]


def _show_tables(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "Nothing in this schema that you may see",
            "Make a table in the editor:",
            "CREATE TABLE orders (id BIGINT, amount INT)",
        )
        return None
    return listing(_TABLES, rows, key="table_name", label="Tables and views")


def _show_dropped(desk: Desk, rows: Rows) -> Update[Rows] | None:
    if not rows:
        ui.label("None that could come back.").classes("hw-muted")
        return None
    newest: dict[str, Any] = {}

    def note(shown: Rows) -> None:
        # Of several that had one name, UNDROP brings back the one that was dropped last.
        newest.clear()
        for row in shown:
            newest.setdefault(row["table_name"], row["delete_time"])

    async def pressed(name: str, row: Mapping[str, Any]) -> None:
        statement = f"UNDROP TABLE {sql_name(row['schema_name'], row['table_name'])}"
        await confirm(desk, name, statement)

    def of(row: Mapping[str, Any]) -> list[str]:
        return [_UNDROP] if newest.get(row["table_name"]) == row["delete_time"] else []

    note(rows)
    update = listing(
        _DROPPED, rows, key=ROW, label="Dropped tables", buttons=RowButtons(of, pressed)
    )

    def updated(newer: Rows) -> None:
        note(newer)
        update(newer)

    return updated
