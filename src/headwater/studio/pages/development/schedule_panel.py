"""The panel in which a script gets its schedule: fields, and the statement they make."""

from __future__ import annotations

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.studio.desk import Desk
from headwater.studio.pages.development.schedule_fields import Choices, ScheduleFields, choices
from headwater.studio.problem import show_problem
from headwater.studio.schedule_form import ScheduleForm, changes, form_of, read_task
from headwater.studio.show_sql import sql_text


async def open_schedule(desk: Desk, task: str) -> None:
    """`task` is a name as statements have it."""
    try:
        rows = await desk.rows(f"SHOW CREATE TASK {task}")
        given = await choices(desk, task)
    except HeadwaterError as error:
        with ui.dialog() as failed, ui.card().classes("w-full max-w-2xl"):
            show_problem(error)
        failed.open()
        return
    clauses = read_task(rows[0]["sql"])
    _Panel(desk, task, form_of(clauses)).show(given, script=clauses.target is None)


class _Panel:
    def __init__(self, desk: Desk, task: str, before: ScheduleForm) -> None:
        self._desk = desk
        self._task = task
        self._before = before
        self._fields: ScheduleFields | None = None

    def show(self, given: Choices, *, script: bool) -> None:
        self._dialog = ui.dialog().props('position=right full-height aria-label="Schedule"')
        with self._dialog, ui.card().classes("hw-panel"):
            ui.label(f"Schedule of {self._task}").classes("text-lg font-semibold")
            self._fields = ScheduleFields(self._before, given, self._preview, script=script)
            self._shown = ui.column().classes("w-full")
            self._outcome = ui.column().classes("w-full")
            with ui.row().classes("w-full justify-end gap-2"):
                ui.button("Close", on_click=self._dialog.close).props("flat no-caps")
                ui.button("Save schedule", on_click=self._save).props("no-caps")
        self._preview()
        self._dialog.on("hide", self._dialog.delete)
        self._dialog.open()

    def _statements(self) -> list[str]:
        assert self._fields is not None
        return changes(self._task, self._before, self._fields.value())

    def _preview(self) -> None:
        if self._fields is None:
            return
        self._shown.clear()
        with self._shown:
            try:
                statements = self._statements()
            except HeadwaterError as error:
                show_problem(error)
                return
            if not statements:
                ui.label("Nothing has changed.").classes("hw-muted text-sm")
            for statement in statements:
                sql_text(statement)

    async def _save(self) -> None:
        self._outcome.clear()
        try:
            for statement in self._statements():
                await self._desk.act(statement)
        except HeadwaterError as error:
            with self._outcome:
                show_problem(error)
            return
        self._dialog.close()
        ui.notify("The draft has its schedule; Submit lets it run", type="positive")
