"""The page: the tree of scripts beside the editor with what can be done with its script."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui
from starlette.requests import Request

from headwater.errors import HeadwaterError
from headwater.studio import samples
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.pages.development.script_bar import script_bar
from headwater.studio.pages.development.tree import show_tree
from headwater.studio.pages.development.workbench import Workbench
from headwater.studio.problem import show_problem
from headwater.studio.schedule_form import read_task, task_name

PATH = "/"
_CSS = """
.hw-bench { display: grid; grid-template-columns: minmax(11rem, 16rem) minmax(0, 1fr);
  gap: 1.25rem; width: 100%; }
.hw-panel { width: min(36rem, 100vw); max-width: 100vw !important; height: 100%;
  max-height: 100dvh !important; border-radius: 0 !important; flex-wrap: nowrap; overflow: auto; }
.q-dialog__inner:has(> .hw-panel) { padding: 0; }
@media (max-width: 900px) { .hw-bench { grid-template-columns: minmax(0, 1fr); } }
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """What the address asks for."""

    title: str
    text: str
    folder: str | None = None
    task: str | None = None
    sample: samples.Sample | None = None
    python: bool = False
    table: str | None = None
    """The dynamic table that the task refreshes."""


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def development(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Development", here=PATH):
            ui.add_css(_CSS)
            try:
                opened = await _opened(desk, dict(request.query_params))
            except HeadwaterError as error:
                heading("Development")
                show_problem(error)
                return
            with ui.element("div").classes("hw-bench"):
                with ui.column().classes("gap-2 min-w-0"):
                    show_tree(desk, opened.folder, opened.task)
                with ui.column().classes("gap-3 min-w-0"):
                    heading(opened.title)
                    bar = ui.row().classes("items-center gap-2 w-full")
                    bench = Workbench(desk, opened.text, python=opened.python)
                    with bar:
                        await script_bar(desk, bench, opened)


async def _opened(desk: Desk, asked: dict[str, str]) -> Opened:
    if "task" in asked:
        return await _task(desk, asked.get("folder", "default"), asked["task"])
    found = samples.sample(asked.get("sample", ""))
    if found is not None:
        return Opened(found.name, found.text, samples.FOLDER, sample=found)
    return Opened("New script", asked.get("sql", ""))


async def _task(desk: Desk, folder: str, name: str) -> Opened:
    rows = await desk.rows(f"SHOW CREATE TASK {task_name(folder, name)}")
    clauses = read_task(rows[0]["sql"])
    if clauses.target is None:
        script = clauses.script or ""
        return Opened(f"{folder} / {name}", script, folder, name, python=clauses.python)
    made = await desk.rows(f"SHOW CREATE TABLE {clauses.target}")
    text = next(iter(made[0].values()))
    return Opened(f"{folder} / {name}", text, folder, name, table=str(clauses.target))
