"""One table or view: columns, rows, details, how it is made, versions, lineage, rights."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from starlette.requests import Request

from headwater.errors import HeadwaterError
from headwater.studio.crumbs import crumbs
from headwater.studio.described import Described, described
from headwater.studio.desk import Desk, Desks
from headwater.studio.facts import facts
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import sql_name
from headwater.studio.lazy_tabs import lazy_tabs
from headwater.studio.listing import ROW, ListColumn, listing, studio_link, studio_path
from headwater.studio.pages.catalog.history_tab import history_tab
from headwater.studio.pages.catalog.lineage_tab import lineage_tab
from headwater.studio.pages.catalog.listed import PATH
from headwater.studio.part import Part, Update
from headwater.studio.permissions import permissions
from headwater.studio.problem import show_problem
from headwater.studio.row_grid import first_rows, preview
from headwater.studio.show_sql import sql_text

_COLUMNS = (
    ListColumn("column_name", "Column"),
    ListColumn("data_type", "Type", mono=True),
    ListColumn("comment", "Comment"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH + "/{schema}/{name:path}")
    async def object_page(request: Request, schema: str, name: str) -> None:
        desk = desks.of(request)
        with frame(desk, f"{schema}.{name}", here=PATH):
            crumbs(("Catalog", "catalog"), (schema, "catalog", schema))
            try:
                known = await _ask(desk, sql_name(schema, name))
            except HeadwaterError as error:
                heading(name)
                show_problem(error)
                return
            heading(name, known.type)
            _own_screen(known, schema, name)
            _tabs(desk, known, schema, name)


async def _ask(desk: Desk, quoted: str) -> Described:
    return described((await desk.ask(f"DESC EXTENDED {quoted}")).rows)


def _own_screen(known: Described, schema: str, name: str) -> None:
    """What has a screen of its own is linked to it."""
    if known.type in ("DYNAMIC TABLE", "MATERIALIZED VIEW"):
        link = studio_path("dynamic-tables", schema, name)
        studio_link("Refreshes, plan and schedule", link)
    elif known.type == "TABLE STREAM":
        studio_link("Offset and pending changes", studio_path("streams"))


def _tabs(desk: Desk, known: Described, schema: str, name: str) -> None:
    quoted = sql_name(schema, name)
    ask = lambda: _ask(desk, quoted)  # noqa: E731
    tabs: dict[str, Callable[[], object]] = {
        "Columns": lambda: Part(desk, ask, _show_columns),
        "Preview": lambda: preview(desk, first_rows(quoted), label="Preview"),
        "Details": lambda: Part(desk, ask, lambda found: facts(found.details)),
        "DDL": lambda: _ddl(desk, quoted),
    }
    if known.stores_rows:
        tabs["History"] = lambda: history_tab(desk, known, quoted)
    tabs["Lineage"] = lambda: lineage_tab(desk, schema, name)
    tabs["Permissions"] = lambda: permissions(desk, f"{_granted_kind(known)} {quoted}")
    lazy_tabs(tabs)


def _granted_kind(known: Described) -> str:
    kinds = ("VIEW", "TABLE STREAM", "DYNAMIC TABLE", "MATERIALIZED VIEW")
    return known.type if known.type in kinds else "TABLE"


def _show_columns(known: Described) -> Update[Described]:
    update = listing(_COLUMNS, known.columns, key=ROW, label="Columns")
    return lambda newer: update(newer.columns)


def _ddl(desk: Desk, quoted: str) -> None:
    async def ask() -> str:
        return str((await desk.ask(f"SHOW CREATE TABLE {quoted}")).rows[0][0])

    Part(desk, ask, sql_text)
