"""One instance of a task: its state, what it waits for, its log, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import quote_literal
from headwater.studio.actions import action_button
from headwater.studio.chips import tone
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.pages.tasks.facts import show_facts
from headwater.studio.part import Part

PATH = "/tasks/{folder}/{name}/{instance}"
_HERE = "/tasks"
_FACTS = (
    "plan_time waits_for triggered_by run version attempt retries_left next_try_time start_time"
    " end_time job_ids instance_id"
).split()
_ACTIONS = (
    ("Set success", "SET SUCCESS", False),
    ("Set failure", "SET FAILURE", False),
    ("Pause", "PAUSE", False),
    ("Resume", "RESUME", False),
    ("Terminate", "TERMINATE", True),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def instance_page(request: Request, folder: str, name: str, instance: str) -> None:
        desk, literal = desks.of(request), quote_literal(instance)
        with frame(desk, f"{name}: an instance", here=_HERE):
            heading(name, f"An instance of a task in folder {folder}")
            studio_link("The task", studio_path("tasks", folder, name))
            bar = ui.row().classes("gap-2")
            part = Part(desk, lambda: desk.row(f"DESC TASK INSTANCE {literal}"), _show, every=3)
            with bar:
                _actions(desk, literal, part)


def _actions(desk: Desk, literal: str, part: Part[Any]) -> None:
    rerun = f"RERUN TASK INSTANCE {literal}"
    action_button(desk, "Rerun", rerun, then=part.refresh)
    action_button(desk, "Rerun with downstream", f"{rerun} WITH DOWNSTREAM", then=part.refresh)
    for label, words, danger in _ACTIONS:
        statement = f"ALTER TASK INSTANCE {literal} {words}"
        action_button(desk, label, statement, danger=danger, then=part.refresh)


def _show(known: Mapping[str, Any]) -> None:
    ui.label(str(known["state"])).classes(f"hw-chip {tone(known['state'])}")
    show_facts(known, _FACTS)
    if known.get("error_message"):
        with ui.element("pre").classes("hw-sql hw-bad"):
            ui.label(str(known["error_message"]))
    ui.label("Log, in UTC").classes("font-semibold")
    with ui.element("pre").classes("hw-sql").props('aria-label="Log" tabindex=0'):
        ui.label(str(known.get("log") or "Nothing yet."))
