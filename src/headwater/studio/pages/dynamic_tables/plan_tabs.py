"""How a dynamic table is kept current: the plan that ran last, and what is next."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from headwater.studio.desk import Desk
from headwater.studio.fact_list import fact_list
from headwater.studio.job_lines import OperatorLine, Profile, operator_in
from headwater.studio.pages.dynamic_tables.history_tab import job_profile
from headwater.studio.part import Part
from headwater.studio.plan_view import show_plan

_CREATE = "CREATE DYNAMIC TABLE"
_LOOKED_AT = 20


def plan_tab(desk: Desk, name: str) -> None:
    """The plan of the newest incremental refresh; of none, what EXPLAIN CREATE says."""

    def show(found: Profile | list[str]) -> None:
        if isinstance(found, list):
            ui.label("No incremental refresh yet; this is what EXPLAIN says of its query.").classes(
                "hw-muted"
            )
            show_plan([operator_in(line) for line in found])
            return
        facts = found.facts
        fact_list(
            [
                ("Refresh", facts.get("start_time")),
                ("Because", facts.get("refresh_reason")),
                *(("Read", source) for source in found.sources),
            ]
        )
        show_plan(found.plan)

    Part(desk, lambda: _last_plan(desk, name), show, live=False)


async def _last_plan(desk: Desk, name: str) -> Profile | list[str]:
    done = "WHERE refresh_mode = 'INCREMENTAL' AND state = 'SUCCEED'"
    rows = await desk.rows(f"SHOW DYNAMIC TABLE REFRESH HISTORY {name} {done} LIMIT {_LOOKED_AT}")
    for row in rows:
        profile = await job_profile(desk, row["job_id"])
        if profile.plan:
            return profile
    made = (await desk.ask(f"SHOW CREATE TABLE {name}")).rows[0][0]
    create = made.replace(_CREATE, "CREATE OR REPLACE DYNAMIC TABLE", 1)
    return [str(row[0]) for row in (await desk.ask(f"EXPLAIN {create}")).rows]


def next_refresh_tab(desk: Desk, name: str) -> None:
    """EXPLAIN REFRESH: asked when looked at, because it may have to start Spark."""

    async def ask() -> dict[str, Any]:
        # As the schedule refreshes it: another zone could make it another refresh.
        explain = f"EXPLAIN REFRESH DYNAMIC TABLE {name} FORMAT JSON"
        result = await desk.ask(explain, lake_zone=True)
        explained: dict[str, Any] = json.loads(result.rows[0][0])
        return explained

    part = Part(desk, ask, _show_next, live=False)
    ui.button("Explain again", icon="refresh", on_click=part.refresh).props("outline dense no-caps")


def _show_next(explained: dict[str, Any]) -> None:
    with ui.element("div").classes("hw-card"):
        fact_list(
            [
                ("Refresh", explained["kind"]),
                ("Because", f"{explained['because']} ({explained['reason']})"),
                ("Can be incremental", explained["can_be_incremental"]),
                ("Write", explained["write"]),
                ("Groups kept beside it", ", ".join(explained.get("states", ())) or None),
            ],
            chips=frozenset({"Refresh"}),
        )
    ui.label("Sources").classes("font-semibold")
    for source in explained["sources"]:
        fact_list((key.replace("_", " "), value) for key, value in source.items())
    if "operators" in explained:
        ui.label("Operators").classes("font-semibold")
        show_plan([_operator(one) for one in explained["operators"]])


def _operator(one: dict[str, Any]) -> OperatorLine:
    rules = [one["rule"]]
    rules += ["old rows from the table itself"] if one["old_rows_stored"] else []
    rules += ["rows only come"] if one["insert_only"] else []
    return OperatorLine(0, one["operator"], tuple(rules))
