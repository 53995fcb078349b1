"""The page of one dynamic table: what it is, what it reads, what its refreshes did and would do."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import quote_literal, show_identifier
from headwater.result import Result
from headwater.studio.actions import action_button
from headwater.studio.chips import tone
from headwater.studio.crumbs import crumbs
from headwater.studio.desk import Desk, Desks
from headwater.studio.fact_list import fact_list
from headwater.studio.frame import frame, heading
from headwater.studio.opened_tabs import opened_tabs
from headwater.studio.pages.dynamic_tables.asking import PATH, Rows, name_of
from headwater.studio.pages.dynamic_tables.graph_tab import graph_tab
from headwater.studio.pages.dynamic_tables.history_tab import history_tab
from headwater.studio.pages.dynamic_tables.overview_tab import overview_tab
from headwater.studio.pages.dynamic_tables.plan_tabs import next_refresh_tab, plan_tab
from headwater.studio.pages.grants_part import grants_part
from headwater.studio.part import Part
from headwater.studio.problem import show_empty
from headwater.studio.statement_form import statement_form

_FULL = "SET cz.optimizer.incremental.force.full.refresh = true"


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(f"{PATH}/{{schema}}/{{name}}")
    async def dynamic_table(request: Request, schema: str, name: str) -> None:
        desk = desks.of(request)
        with frame(desk, name, here=PATH):
            crumbs(("Dynamic tables", "dynamic-tables"), (schema,))
            heading(name)
            Part(desk, lambda: _state(desk, schema, name), lambda rows: _head(desk, rows))
            full = name_of(schema, name)
            opened_tabs(
                {
                    "Overview": lambda: overview_tab(desk, schema, name),
                    "Graph": lambda: graph_tab(desk, full),
                    "Refresh history": lambda: history_tab(desk, full),
                    "Incremental plan": lambda: plan_tab(desk, full),
                    "Next refresh": lambda: next_refresh_tab(desk, full),
                    "Permissions": lambda: grants_part(desk, "DYNAMIC TABLE", full),
                },
                label=f"Dynamic table {name}",
            )


async def _state(desk: Desk, schema: str, name: str) -> Rows:
    named = f"WHERE name = {quote_literal(name.lower())}"
    rows = await desk.rows(f"SHOW DYNAMIC TABLES IN {show_identifier(schema)} {named}")
    kept = ("schema_name", "name", "state", "suspended_reason", "schedule", "last_refresh_state")
    return [{key: row[key] for key in kept} for row in rows]


def _head(desk: Desk, rows: Rows) -> None:
    if not rows:
        show_empty("There is no such dynamic table", "It may have been dropped or renamed.")
        return
    row = rows[0]
    name = name_of(row["schema_name"], row["name"])
    with ui.row().classes("items-center gap-2"):
        ui.label(row["state"]).classes(f"hw-chip {tone(row['state'])}")
        if row["last_refresh_state"] is not None:
            last = row["last_refresh_state"]
            ui.label(f"last refresh: {last}").classes(f"hw-chip {tone(last)}")
        if row["suspended_reason"]:
            ui.label(row["suspended_reason"]).classes("hw-bad text-sm")
    with ui.row().classes("gap-2"):
        _actions(desk, row, name)


def _actions(desk: Desk, row: dict[str, Any], name: str) -> None:
    action_button(desk, "Refresh", f"REFRESH DYNAMIC TABLE {name}", icon="refresh")
    full = f"{_FULL};\nREFRESH DYNAMIC TABLE {name}"
    action_button(desk, "Re-run as full", full, icon="restart_alt")
    if row["schedule"] is not None and row["state"] == "SUSPENDED":
        action_button(desk, "Resume", f"ALTER DYNAMIC TABLE {name} RESUME", icon="play_arrow")
    elif row["schedule"] is not None:
        action_button(desk, "Suspend", f"ALTER DYNAMIC TABLE {name} SUSPEND", icon="pause")
    verify = f"VERIFY DYNAMIC TABLE {name}"
    ui.button(
        "Verify",
        icon="fact_check",
        on_click=lambda: statement_form(desk, "Verify", (), lambda _: verify, then=_show_verified),
    ).props("outline dense no-caps")

    async def leave() -> None:
        ui.navigate.to(PATH)

    action_button(
        desk, "Drop", f"DROP DYNAMIC TABLE {name}", icon="delete", danger=True, then=leave
    )


async def _show_verified(result: Result) -> None:
    row = result.to_dicts()[0]
    with ui.dialog() as dialog, ui.card().classes("w-full max-w-lg"):
        equal = row["equal"]
        said = "The table is the answer of its query" if equal else "The table differs"
        ui.label(said).classes(f"text-lg font-semibold {'hw-good' if equal else 'hw-bad'}")
        fact_list((key.replace("_", " "), value) for key, value in row.items())
        ui.button("Close", on_click=dialog.close).props("flat no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()
