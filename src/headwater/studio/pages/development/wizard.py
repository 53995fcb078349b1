"""The wizard of a dynamic-table task: a query, a name, a schedule, and the statements they make."""

from __future__ import annotations

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.names import ObjectName
from headwater.studio.desk import Desk
from headwater.studio.pages.development.schedule_fields import Choices, ScheduleFields, choices
from headwater.studio.pages.development.tree import open_script
from headwater.studio.pages.development.workbench import Workbench
from headwater.studio.problem import show_problem
from headwater.studio.schedule_form import (
    MINUTES,
    ScheduleForm,
    table_task_text,
    task_name,
)
from headwater.studio.show_sql import sql_text
from headwater.studio.table_form import MODES, TableForm, create_table_text


async def open_wizard(desk: Desk, bench: Workbench, *, folder: str, name: str, table: str) -> None:
    """The query is what stands in the editor."""
    query = (await bench.editor.cursor()).text
    try:
        given = await choices(desk)
    except HeadwaterError:
        given = Choices((), ())
    _Wizard(bench, query).show(desk, given, folder=folder, name=name, table=table)


class _Wizard:
    def __init__(self, bench: Workbench, query: str) -> None:
        self._bench = bench
        self._query = query
        self._fields: ScheduleFields | None = None

    def show(self, desk: Desk, given: Choices, *, folder: str, name: str, table: str) -> None:
        dialog = ui.dialog().props('position=right full-height aria-label="Dynamic table task"')
        self._dialog = dialog
        with dialog, ui.card().classes("hw-panel"):
            ui.label("Dynamic table task").classes("text-lg font-semibold")
            with ui.row().classes("gap-3 w-full"):
                self._schema = self._field("Schema", "")
                self._schema.props('placeholder="the current one"')
                self._table = self._field("Dynamic table", table)
            with ui.row().classes("gap-3 w-full"):
                self._folder = self._field("Folder", folder or "default")
                self._name = self._field("Task", name)
            with ui.expansion("More about the table").classes("w-full").props("dense"):
                self._about_table()
            start = ScheduleForm(rule=MINUTES, time_zone=desk.look.time_zone or "")
            self._fields = ScheduleFields(start, given, self._preview, script=False)
            self._shown = ui.column().classes("w-full")
            self._outcome = ui.column().classes("w-full")
            with ui.row().classes("w-full justify-end gap-2"):
                ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
                ui.button("Create", on_click=lambda: self._create(submit=False)).props(
                    "outline no-caps"
                )
                ui.button("Create and submit", on_click=lambda: self._create(submit=True)).props(
                    "no-caps"
                )
        self._preview()
        dialog.on("hide", dialog.delete)
        dialog.open()

    def _about_table(self) -> None:
        with ui.row().classes("gap-3 w-full"):
            self._mode = ui.select(list(MODES), value=MODES[0], label="Refresh mode")
            self._days = ui.number("Rows live for days", value=None, min=1, precision=0)
        with ui.row().classes("gap-3 w-full"):
            self._partitions = self._field("Partitioned by", "")
            self._clusters = self._field("Clustered by", "")
        with ui.row().classes("gap-3 w-full"):
            self._order = self._field("Sorted by", "")
            self._buckets = ui.number("Buckets", value=None, min=1, precision=0)
        self._about = self._field("Comment on the table", "").classes("w-full")
        for other in (self._mode, self._days, self._buckets):
            other.props("dense outlined").classes("min-w-32 grow")
            other.on_value_change(lambda: self._preview())

    def _field(self, label: str, value: str) -> ui.input:
        made = ui.input(label, value=value, on_change=lambda: self._preview())
        return made.props("dense outlined").classes("grow")

    def _form(self) -> TableForm:
        parts = (self._schema.value.strip(), self._table.value.strip())
        return TableForm(
            ObjectName.of(*(part for part in parts if part)),
            mode=self._mode.value,
            partitioned_by=self._partitions.value or "",
            clustered_by=self._clusters.value or "",
            sorted_by=self._order.value or "",
            buckets=int(self._buckets.value or 0),
            lifecycle_days=int(self._days.value or 0),
            comment=self._about.value or "",
        )

    def _names(self) -> tuple[str, str]:
        name = self._name.value.strip() or self._table.value.strip()
        return self._folder.value.strip() or "default", name

    def _statements(self) -> tuple[str, ...]:
        assert self._fields is not None
        task = task_name(*self._names())
        form = self._form()
        create = create_table_text(form, self._query)
        refresh = table_task_text(task, form.table, self._fields.value())
        return create, refresh, f"SUBMIT TASK {task}"

    def _preview(self) -> None:
        if self._fields is None:
            return
        self._shown.clear()
        with self._shown:
            if not self._table.value.strip():
                ui.label("Give the dynamic table a name to see its statements.").classes("hw-muted")
                return
            for statement in self._statements():
                sql_text(statement)

    async def _create(self, *, submit: bool) -> None:
        self._outcome.clear()
        if not self._table.value.strip():
            return
        create, task, submitted = self._statements()
        try:
            for statement in (create, task, submitted) if submit else (create, task):
                await self._bench.act(statement)
        except HeadwaterError as error:
            with self._outcome:
                show_problem(error)
            return
        self._dialog.close()
        open_script(*self._names())
