"""The list of tasks: periodic ones, those of dynamic tables, all instances, and the graph."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import ObjectName
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.pages.tasks.graph import show_graph
from headwater.studio.pages.tasks.instances import show_instances
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

PATH = "/tasks"
Rows = list[dict[str, Any]]
_MOST_INSTANCES = 200
_COLUMNS = (
    ListColumn("name", "Name", link=lambda row: studio_path("tasks", row["folder"], row["name"])),
    ListColumn("folder", "Folder"),
    ListColumn("kind", "Kind"),
    ListColumn("state", "State", chip=True),
    ListColumn("schedule", "Schedule"),
    ListColumn("after", "After"),
    ListColumn("last_plan_time", "Last instance"),
    ListColumn("last_state", "Result", chip=True),
    ListColumn("next_plan_time", "Next"),
    ListColumn("version", "Version", number=True),
    ListColumn("owner", "Owner"),
)
_ACTIONS = (
    ("Run now", "EXECUTE TASK {}", False),
    ("Submit", "SUBMIT TASK {}", False),
    ("Pause", "ALTER TASK {} PAUSE", False),
    ("Resume", "ALTER TASK {} RESUME", False),
    ("Take offline", "ALTER TASK {} OFFLINE", True),
    ("Take offline with downstream", "ALTER TASK {} OFFLINE WITH DOWNSTREAM", True),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def tasks(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Tasks", here=PATH):
            heading("Tasks", "Scripts and refreshes that run on a schedule and after each other")
            with (
                ui.tabs().classes("w-full").props("dense no-caps align=left outside-arrows") as tabs
            ):
                ui.tab("periodic", "Periodic tasks")
                ui.tab("dynamic", "Dynamic table tasks")
                ui.tab("instances", "Instances")
                ui.tab("graph", "Dependencies")
            panels = ui.tab_panels(tabs, value="periodic").classes("w-full bg-transparent")
            # A chart that is kept while it has no size cannot draw.
            with panels.props("keep-alive keep-alive-exclude=graph"):
                with ui.tab_panel("periodic").classes("px-0"):
                    _TaskList(desk, dynamic=False).show()
                with ui.tab_panel("dynamic").classes("px-0"):
                    _TaskList(desk, dynamic=True).show()
                with ui.tab_panel("instances").classes("px-0"):
                    statement = f"SHOW TASK INSTANCES LIMIT {_MOST_INSTANCES}"
                    Part(desk, lambda: desk.rows(statement), show_instances, every=5)
                with ui.tab_panel("graph").classes("px-0"):
                    Part(desk, lambda: _edges(desk), lambda rows: show_graph(rows))


async def _edges(desk: Desk) -> Rows:
    kept = ("folder", "name", "state", "after")
    return [{name: row[name] for name in kept} for row in await desk.rows("SHOW TASKS")]


class _TaskList:
    def __init__(self, desk: Desk, *, dynamic: bool) -> None:
        self._desk = desk
        self._dynamic = dynamic
        self._chosen: list[str] = []
        self._made: list[ui.button] = []

    def show(self) -> None:
        self._buttons = ui.row().classes("gap-2 items-center")
        with self._buttons:
            for label, template, danger in _ACTIONS:
                self._button(label, template, danger=danger)
        self._buttons.set_visibility(False)
        self._part = Part(self._desk, self._ask, self._show, every=5)

    def _button(self, label: str, template: str, *, danger: bool) -> None:
        async def ask_first() -> None:
            statement = ";\n".join(template.format(name) for name in self._chosen)
            await confirm(self._desk, label, statement, danger=danger, then=self._part.refresh)

        button = ui.button(label, on_click=ask_first).props("outline dense no-caps")
        if danger:
            button.props("color=negative")
        button.disable()
        self._made.append(button)

    async def _ask(self) -> Rows:
        rows = await self._desk.rows("SHOW TASKS")
        mine = [row for row in rows if (row["kind"] == "DYNAMIC_TABLE") == self._dynamic]
        return [{**row, "key": str(ObjectName.of(row["folder"], row["name"]))} for row in mine]

    def _show(self, rows: Rows) -> Update[Rows] | None:
        self._buttons.set_visibility(bool(rows))
        if not rows:
            if self._dynamic:
                show_empty(
                    "No dynamic table task yet",
                    "Make one in Development, or:",
                    "CREATE TASK etl.totals SCHEDULE (EVERY 1 MINUTE) FOR DYNAMIC TABLE totals",
                )
            else:
                show_empty(
                    "No task yet",
                    "Keep a script in Development, or:",
                    "CREATE TASK etl.load SCHEDULE (EVERY 1 MINUTE)\n"
                    "AS INSERT INTO events SELECT * FROM raw;\nSUBMIT TASK etl.load",
                )
            return None
        label = "Dynamic table tasks" if self._dynamic else "Periodic tasks"

        def chosen(keys: list[str]) -> None:
            self._chosen = keys
            for button in self._made:
                button.set_enabled(bool(keys))

        return listing(_COLUMNS, rows, key="key", label=label, chosen=chosen)
