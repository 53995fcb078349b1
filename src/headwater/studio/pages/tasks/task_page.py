"""One task: what it is, what can be done with it, its instances, versions and neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import quote_literal
from headwater.studio.actions import action_button, confirm
from headwater.studio.chips import tone
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import studio_link
from headwater.studio.pages.development.submitting import open_submit
from headwater.studio.pages.development.tree import script_link
from headwater.studio.pages.tasks.facts import show_facts
from headwater.studio.pages.tasks.graph import show_graph
from headwater.studio.pages.tasks.instances import show_instances
from headwater.studio.part import Part
from headwater.studio.schedule_form import task_name
from headwater.studio.shown_times import moment

PATH = "/tasks/{folder}/{name}"
_HERE = "/tasks"
_MOST_INSTANCES = 100
_FACTS = (
    "schedule next_plan_time online_since virtual_cluster after self_dependent parameters retry"
    " timeout wait_limit dynamic_table schema owner version comment created_time last_modified_time"
).split()


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def task_page(request: Request, folder: str, name: str) -> None:
        desk, task = desks.of(request), task_name(folder, name)
        with frame(desk, name, here=_HERE):
            heading(name, f"A task in folder {folder}")
            bar = ui.row().classes("gap-2 items-center")
            facts = Part(desk, lambda: desk.row(f"DESC TASK {task}"), _show, every=10)
            with bar:
                _actions(desk, task, facts, script_link(folder, name))
            ui.label("Instances").classes("text-lg font-semibold")
            statement = f"SHOW TASK INSTANCES OF {task} LIMIT {_MOST_INSTANCES}"
            Part(desk, lambda: desk.rows(statement), show_instances, every=5)
            ui.label("Dependencies").classes("text-lg font-semibold")
            Part(desk, lambda: _neighbours(desk), lambda rows: show_graph(rows, task))
            ui.label("Versions").classes("text-lg font-semibold")
            Part(desk, lambda: desk.rows(f"SHOW TASK VERSIONS OF {task}"), _versions)


async def _neighbours(desk: Desk) -> list[dict[str, Any]]:
    kept = ("folder", "name", "state", "after")
    return [{name: row[name] for name in kept} for row in await desk.rows("SHOW TASKS")]


def _show(known: Mapping[str, Any]) -> None:
    with ui.row().classes("gap-2"):
        for name in ("state", "kind"):
            ui.label(str(known[name])).classes(f"hw-chip {tone(known[name])}")
        if known.get("draft_changes"):
            ui.label("the draft differs").classes("hw-chip hw-warn")
    show_facts(known, _FACTS)
    if known.get("script"):
        script = ui.expansion("Script", icon="code").classes("w-full")
        with script, ui.element("pre").classes("hw-sql"):
            ui.label(str(known["script"]))


def _actions(desk: Desk, task: str, facts: Part[Any], editor: str) -> None:
    then = facts.refresh
    studio_link("Open in the editor", editor)
    submit = ui.button("Submit", on_click=lambda: open_submit(desk, task, then))
    submit.props("outline dense no-caps")
    action_button(desk, "Run now", f"EXECUTE TASK {task}", then=then)
    backfill = ui.button("Backfill", on_click=lambda: _backfill(desk, task))
    backfill.props("outline dense no-caps")
    action_button(desk, "Pause", f"ALTER TASK {task} PAUSE", then=then)
    action_button(desk, "Resume", f"ALTER TASK {task} RESUME", then=then)
    offline = f"ALTER TASK {task} OFFLINE"
    action_button(desk, "Take offline", offline, danger=True, then=then)
    action_button(
        desk,
        "Take offline with downstream",
        f"{offline} WITH DOWNSTREAM",
        danger=True,
        then=then,
    )


def _backfill(desk: Desk, task: str) -> None:
    with ui.dialog().props("aria-label=Backfill") as dialog, ui.card().classes("w-full max-w-lg"):
        ui.label(f"Backfill {task}").classes("text-lg font-semibold")
        ui.label("An instance for each plan time from one day or time to another.").classes(
            "hw-muted"
        )
        since = ui.input("From", placeholder="2026-01-01").classes("w-full")
        until = ui.input("To", placeholder="2026-01-31").classes("w-full")
        downstream = ui.checkbox("With downstream")

        async def ask_first() -> None:
            tail = " WITH DOWNSTREAM" if downstream.value else ""
            span = f"FROM {quote_literal(since.value)} TO {quote_literal(until.value)}"
            dialog.close()
            # Beside this dialog, not in it: it is about to be deleted.
            with ui.context.client:
                await confirm(desk, "Backfill", f"BACKFILL TASK {task} {span}{tail}")

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Show the statement", on_click=ask_first).props("no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _versions(rows: list[dict[str, Any]]) -> None:
    if not rows:
        ui.label("Not submitted yet.").classes("hw-muted")
    for row in rows:
        title = f"Version {row['version']}"
        caption = f"{row['submitted_by']}, {moment(row['submitted_time'])}"
        version = ui.expansion(title, caption=caption).classes("w-full").props("dense")
        with version, ui.element("pre").classes("hw-sql"):
            ui.label(str(row["changes"] or row["sql"]))
