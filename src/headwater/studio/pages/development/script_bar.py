"""What can be done with a script beside running it: keep it, schedule it, submit it, drop it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.result import Result
from headwater.studio import samples
from headwater.studio.actions import action_button
from headwater.studio.desk import Desk
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.pages.development.schedule_panel import open_schedule
from headwater.studio.pages.development.submitting import open_submit
from headwater.studio.pages.development.tree import open_script
from headwater.studio.pages.development.wizard import open_wizard
from headwater.studio.pages.development.workbench import Workbench
from headwater.studio.problem import show_problem
from headwater.studio.schedule_form import ScheduleForm, change_script, create_script, task_name
from headwater.studio.statement_form import Field, Values, statement_form

if TYPE_CHECKING:
    from headwater.studio.pages.development.page import Opened

_ASK_BEFORE_LEAVING = """window.hwKept = %s; window.onbeforeunload = (event) => {
  const text = getElement(%d)?.editor?.state.doc.toString();
  if (text !== undefined && text !== window.hwKept) event.preventDefault(); };"""


async def script_bar(desk: Desk, bench: Workbench, opened: Opened) -> None:
    """The buttons, by what is open."""
    if opened.task is not None and opened.folder is not None:
        _of_task(desk, bench, opened)
    else:
        _of_new(desk, bench, opened)


def _of_new(desk: Desk, bench: Workbench, opened: Opened) -> None:
    table = None if opened.sample is None else opened.sample.table
    if table is None:
        save = ui.button("Save", icon="save", on_click=lambda: _save_as(desk, bench, opened))
        save.props("outline dense no-caps")

    async def wizard() -> None:
        sample = opened.sample
        folder = samples.FOLDER if sample is not None else ""
        name = sample.name if sample is not None else ""
        await open_wizard(desk, bench, folder=folder, name=name, table=table or "")

    label = "Dynamic table task" if table is None else "Configure and submit"
    ui.button(label, icon="autorenew", on_click=wizard).props("outline dense no-caps")


def _of_task(desk: Desk, bench: Workbench, opened: Opened) -> None:
    folder, name = str(opened.folder), str(opened.task)
    task = task_name(folder, name)

    def kept() -> None:
        text = json.dumps(bench.editor.text)
        ui.run_javascript(_ASK_BEFORE_LEAVING % (text, bench.editor.element.id))

    async def save() -> bool:
        text = (await bench.editor.cursor()).text
        try:
            await bench.act(change_script(task, text))
        except HeadwaterError as error:
            bench.output.clear()
            with bench.output:
                show_problem(error)
            return False
        bench.kept = text
        kept()
        ui.notify("saved as the draft", type="positive")
        return True

    async def submit() -> None:
        text = (await bench.editor.cursor()).text
        if opened.table is None and text != bench.kept and not await save():
            return
        await open_submit(desk, task)

    bench.kept = opened.text
    if opened.table is None:
        ui.button("Save", icon="save", on_click=save).props("outline dense no-caps")
        bench.editor.element.map_key("Mod-s", save)
    schedule = ui.button("Schedule", icon="schedule", on_click=lambda: open_schedule(desk, task))
    schedule.props("outline dense no-caps")
    ui.button("Submit", icon="rocket_launch", on_click=submit).props("dense no-caps")
    studio_link("Instances", studio_path("tasks", folder, name))
    ui.space()

    async def gone() -> None:
        ui.run_javascript("window.onbeforeunload = null")
        ui.navigate.to("/")

    async def renamed(result: Result) -> None:
        ui.run_javascript("window.onbeforeunload = null")
        open_script(*given)

    given = [folder, name]

    def rename(values: Values) -> str:
        given[:] = [values["folder"].strip() or "default", values["name"].strip()]
        return f"ALTER TASK {task} RENAME TO {task_name(*given)}"

    async def open_rename() -> None:
        if (await bench.editor.cursor()).text != bench.kept and opened.table is None:
            ui.notify("Save the script first", type="warning")
            return
        fields = (Field("folder", "Folder", folder), Field("name", "Name", name))
        statement_form(desk, "Rename or move", fields, rename, then=renamed)

    ui.button("Rename or move", on_click=open_rename).props("outline dense no-caps")
    action_button(desk, "Drop", f"DROP TASK {task}", danger=True, then=gone)
    if opened.table is None:
        ui.context.client.on_connect(kept)


def _save_as(desk: Desk, bench: Workbench, opened: Opened) -> None:
    with ui.dialog().props('aria-label="Save"') as dialog, ui.card().classes("w-full max-w-lg"):
        ui.label("Keep this script").classes("text-lg font-semibold")
        ui.label("It is a task of the lake: a draft, which runs when it is submitted.").classes(
            "hw-muted"
        )
        folder = ui.input("Folder", value=opened.folder or "default").classes("w-full")
        name = ui.input("Name", value=opened.sample.name if opened.sample else "").classes("w-full")
        language = ui.select({False: "SQL", True: "Python"}, value=False, label="Language")
        outcome = ui.column().classes("w-full")

        async def save() -> None:
            outcome.clear()
            text = (await bench.editor.cursor()).text
            form = ScheduleForm(time_zone=desk.look.time_zone or "")
            task = task_name(folder.value.strip() or "default", name.value.strip())
            try:
                await bench.act(create_script(task, form, text, python=bool(language.value)))
            except HeadwaterError as error:
                with outcome:
                    show_problem(error)
                return
            dialog.close()
            open_script(folder.value.strip() or "default", name.value.strip())

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Keep", on_click=save).props("no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()
