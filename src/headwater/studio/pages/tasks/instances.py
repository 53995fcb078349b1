"""Instances as a list and as a Gantt chart."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nicegui import ui

from headwater.studio.chips import tone
from headwater.studio.gantt import Gantt, gantt
from headwater.studio.listing import ListColumn, Row, listing, studio_path
from headwater.studio.part import Update
from headwater.studio.problem import show_empty
from headwater.studio.shown_times import duration, moment

Rows = list[dict[str, Any]]
_CSS = """
.hw-lane { position: relative; height: 1.4rem; background: var(--hw-soft); border-radius: .25rem;
  overflow: hidden; flex: 1; min-width: 0; }
.hw-bar { position: absolute; top: 2px; bottom: 2px; min-width: 4px; border-radius: 2px;
  background: currentColor; opacity: .85; }
.hw-lane-name { width: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
"""


def instance_path(row: Row) -> str:
    """The address of an instance."""
    return studio_path("tasks", row["folder"], row["task_name"], row["instance_id"])


COLUMNS = (
    ListColumn(
        "task_name", "Task", link=lambda r: studio_path("tasks", r["folder"], r["task_name"])
    ),
    ListColumn("plan_time", "Plan time", link=instance_path),
    ListColumn("state", "State", chip=True, hint=lambda row: row["error_message"]),
    ListColumn("triggered_by", "Trigger"),
    ListColumn("version", "Version", number=True),
    ListColumn("attempt", "Attempt", number=True),
    ListColumn("start_time", "Began"),
    ListColumn("took", "Took", value=lambda row: _took(row), unbroken=True),
    ListColumn("error_message", "Error"),
)


def show_instances(rows: Rows) -> Update[Rows] | None:
    """The Gantt chart above the list; both are given newer rows in place."""
    if not rows:
        show_empty("No instance yet", "A submitted task has one at each plan time; or run it now.")
        return None
    ui.add_css(_CSS)
    chart = ui.column().classes("w-full gap-1").props('role=img aria-label="Gantt of instances"')

    def draw(newer: Rows) -> None:
        chart.clear()
        lanes = [{**row, "lane": f"{row['folder']} / {row['task_name']}"} for row in newer]
        made = gantt(lanes, _now(newer), lane="lane")
        if made is not None:
            with chart:
                _draw(made)

    draw(rows)
    update = listing(COLUMNS, rows, key="instance_id", label="Instances")

    def both(newer: Rows) -> None:
        draw(newer)
        update(newer)

    return both


def _draw(made: Gantt) -> None:
    for name, bars in made.lanes:
        with ui.row().classes("w-full items-center gap-2 no-wrap"):
            ui.label(name).classes("hw-lane-name text-sm").tooltip(name)
            with ui.element("div").classes("hw-lane"):
                for bar in bars:
                    one = ui.element("div").classes(f"hw-bar {tone(bar.state) or 'hw-muted'}")
                    one.style(f"left: {bar.left:.2f}%; width: {bar.width:.2f}%")
                    one.props["title"] = bar.title
    with ui.row().classes("w-full hw-muted text-xs"):
        ui.label(moment(made.since))
        ui.space()
        ui.label(moment(made.until))


def _now(rows: Rows) -> datetime:
    """The present in the zone that the rows have their times in."""
    zone = next((row["start_time"].tzinfo for row in rows if row["start_time"]), None)
    return datetime.now(zone)


def _took(row: Row) -> str:
    if row["start_time"] is None or row["end_time"] is None:
        return ""
    return duration(row["end_time"] - row["start_time"])
