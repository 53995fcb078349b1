"""Submit: shows how the draft differs from what runs, and makes it the version that runs."""

from __future__ import annotations

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.studio.actions import Then
from headwater.studio.desk import Desk
from headwater.studio.problem import show_problem
from headwater.studio.show_sql import sql_text

_TONES = {"+": "hw-good", "-": "hw-bad"}


async def open_submit(desk: Desk, task: str, then: Then | None = None) -> None:
    """`task` is a name as statements have it."""
    statement = f"SUBMIT TASK {task}"
    lines: list[str] = []
    problem: HeadwaterError | None = None
    try:
        lines = await _difference(desk, task)
    except HeadwaterError as error:
        problem = error
    with ui.dialog().props("aria-label=Submit") as dialog, ui.card().classes("w-full max-w-3xl"):
        ui.label(f"Submit {task}").classes("text-lg font-semibold")
        if problem is not None:
            show_problem(problem)
        if lines:
            with ui.element("pre").classes("hw-sql").props('aria-label="Difference"'):
                for line in lines:
                    ui.label(line).classes(_TONES.get(line[:1], "hw-muted"))
        sql_text(statement)
        outcome = ui.column().classes("w-full")

        async def run() -> None:
            outcome.clear()
            try:
                result = await desk.act(statement)
            except HeadwaterError as error:
                with outcome:
                    show_problem(error)
                return
            dialog.close()
            ui.notify(result.message or "submitted", type="positive")
            if then is not None:
                await then()

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Submit", on_click=run).props("no-caps autofocus")
    dialog.on("hide", dialog.delete)
    dialog.open()


async def _difference(desk: Desk, task: str) -> list[str]:
    known = await desk.row(f"DESC TASK {task}")
    if not known.get("version"):
        made = await desk.rows(f"SHOW CREATE TASK {task}")
        return ["Not submitted yet: everything is new", *_new(made[0]["sql"])]
    found = known.get("draft_changes")
    version = f"against version {known['version']}, which is {known['state']}"
    if not found:
        return [f"No difference {version}"]
    return [f"Difference {version}", *str(found).splitlines()]


def _new(statement: str) -> list[str]:
    return [f"+ {line}" for line in statement.splitlines()]
