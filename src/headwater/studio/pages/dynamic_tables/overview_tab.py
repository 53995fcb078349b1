"""What a dynamic table is and how fresh it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nicegui import ui

from headwater.names import quote_literal, show_identifier
from headwater.studio.desk import Desk
from headwater.studio.fact_list import fact_list
from headwater.studio.lags import LagOverTime, lag_over_day, lag_seconds
from headwater.studio.pages.dynamic_tables.asking import Rows, name_of
from headwater.studio.part import Part
from headwater.studio.show_sql import sql_text
from headwater.studio.shown_times import duration, moment

_EVERY_SECONDS = 120
_MOST_REFRESHES = 2_000


@dataclass(frozen=True, slots=True)
class Overview:
    """What the tab shows."""

    row: dict[str, Any]
    details: dict[str, Any]
    columns: list[tuple[str, str, str]]
    lag: int | None
    over_day: LagOverTime | None


def overview_tab(desk: Desk, schema: str, name: str) -> None:
    """Draws it, and draws it again when something changed."""
    Part(desk, lambda: _ask(desk, schema, name), _show, every=_EVERY_SECONDS)


async def _ask(desk: Desk, schema: str, name: str) -> Overview | None:
    full = name_of(schema, name)
    named = f"WHERE name = {quote_literal(name.lower())}"
    rows = await desk.rows(f"SHOW DYNAMIC TABLES IN {show_identifier(schema)} {named}")
    if not rows:
        return None
    described = (await desk.ask(f"DESC EXTENDED {full}")).rows
    blank = next((place for place, row in enumerate(described) if not row[0]), len(described))
    history: Rows = await desk.rows(
        f"SHOW DYNAMIC TABLE REFRESH HISTORY {full} LIMIT {_MOST_REFRESHES}"
    )
    now = desk.now
    lag = lag_seconds(rows[0], now)
    return Overview(
        rows[0],
        {str(row[0]): row[1] for row in described[blank + 1 :]},
        [(str(row[0]), str(row[1]), str(row[2] or "")) for row in described[:blank]],
        None if lag is None else lag // 10 * 10,
        lag_over_day(history, now),
    )


def _show(overview: Overview | None) -> None:
    if overview is None:
        return
    row, details, over_day = overview.row, overview.details, overview.over_day
    with ui.element("div").classes("hw-card"):
        fact_list(
            [
                ("State", row["state"]),
                ("Target lag", duration(row["target_lag_second"])),
                ("Actual lag", duration(overview.lag)),
                ("Mean lag, 24 h", duration(over_day.mean) if over_day else None),
                ("Max lag, 24 h", duration(over_day.most) if over_day else None),
                ("Next refresh", row["next_refresh_time"]),
                ("Last refresh", _last(row)),
                ("Schedule", row["schedule"] or "by hand"),
                ("Mode", row["refresh_mode"]),
                ("Cluster", row["virtual_cluster"]),
                ("Owner", details.get("creator")),
                ("Created", details.get("created_time")),
                ("Comment", details.get("comment")),
                ("Rows and files", details.get("statistics")),
            ],
            chips=frozenset({"State"}),
        )
    ui.label("Query").classes("font-semibold")
    sql_text(str(details.get("view_text") or ""))
    ui.label("Columns").classes("font-semibold")
    fact_list((name, f"{type} {comment}") for name, type, comment in overview.columns)


def _last(row: dict[str, Any]) -> str:
    words = [moment(row["last_refresh_time"]), row["last_refresh_mode"] or ""]
    if row["last_refresh_reason"]:
        words.append(f"because {row['last_refresh_reason']}")
    return " ".join(word for word in words if word)
