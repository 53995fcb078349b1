"""One pipe: what waits, what failed and why, and the buttons that stop it and start it."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from starlette.requests import Request

from headwater.errors import HeadwaterError
from headwater.names import quote_literal
from headwater.studio.actions import action_button
from headwater.studio.ages import aged
from headwater.studio.chips import tone
from headwater.studio.crumbs import crumbs
from headwater.studio.desk import Desk, Desks
from headwater.studio.facts import facts
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import sql_name
from headwater.studio.lazy_tabs import lazy_tabs
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.pages.pipes.files_tab import files_tab
from headwater.studio.pages.pipes.pipe_facts import PipeFacts
from headwater.studio.pages.pipes.pipes_page import PATH
from headwater.studio.part import Part
from headwater.studio.permissions import permissions
from headwater.studio.problem import show_problem
from headwater.studio.show_sql import sql_text

_LEFT_OUT = frozenset({"copy_statement", "pipe_status", "invalid_reason"})
_JOBS = (
    ListColumn("start_time", "Started"),
    ListColumn("status", "Status", chip=True),
    ListColumn("execution_time", "Milliseconds", number=True),
    ListColumn("vcluster_name", "Virtual cluster"),
    ListColumn("job_id", "Job", link=lambda row: studio_path("compute", "jobs", row["job_id"])),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH + "/{schema}/{name:path}")
    async def pipe_page(request: Request, schema: str, name: str) -> None:
        desk = desks.of(request)
        with frame(desk, f"{schema}.{name}", here=PATH):
            crumbs(("Pipes", "pipes"))
            heading(name, f"Pipe in {schema}")
            quoted = sql_name(schema, name)
            try:
                known = await _ask(desk, quoted)
            except HeadwaterError as error:
                show_problem(error)
                return
            ask = lambda: _ask(desk, quoted)  # noqa: E731
            Part(desk, ask, lambda found: _show_top(desk, quoted, found), every=10)
            _tabs(desk, known, schema, name)


async def _ask(desk: Desk, quoted: str) -> PipeFacts:
    rows = await desk.row(f"DESC PIPE EXTENDED {quoted}")
    oldest = aged(desk, rows.get("oldest_pending_time"))
    return PipeFacts({**rows, "oldest_pending_time": oldest})


def _show_top(desk: Desk, quoted: str, known: PipeFacts) -> None:
    with ui.row().classes("items-center gap-2"):
        ui.label(known.status).classes(f"hw-chip {tone(known.status)}")
        _buttons(desk, quoted, known)
    reason = known.text("invalid_reason")
    if reason is not None:
        with ui.column().classes("hw-error gap-1").props("role=alert"):
            ui.label("It cannot run. Mend the cause, then let it run again.").classes("hw-bad")
            with ui.element("pre").classes("hw-sql"):
                ui.label(reason)
    with ui.row().classes("gap-3 w-full"):
        for label, value in known.tiles.items():
            with ui.column().classes("hw-card gap-0").style("width: auto; min-width: 8rem"):
                ui.label(value).classes("text-lg font-semibold")
                ui.label(label).classes("hw-muted text-sm")


def _buttons(desk: Desk, quoted: str, known: PipeFacts) -> None:
    paused = f"ALTER PIPE {quoted} SET PIPE_EXECUTION_PAUSED = "
    if known.status == "RUNNING":
        action_button(desk, "Pause", paused + "TRUE", icon="pause")
        action_button(desk, "Look now", f"ALTER PIPE {quoted} REFRESH", icon="search")
        if known.failures and known.loads_files:
            # Files that failed are tried again by a pipe that was resumed since.
            again = f"{paused}TRUE;\n{paused}FALSE"
            action_button(desk, "Retry failed files", again, icon="replay")
    else:
        name = "Resume" if known.status == "PAUSED" else "Retry"
        action_button(desk, name, paused + "FALSE", icon="play_arrow")
    drop = f"DROP PIPE {quoted}"
    action_button(desk, "Drop", drop, icon="delete", danger=True, then=_back)


async def _back() -> None:
    ui.navigate.to(PATH)


def _tabs(desk: Desk, known: PipeFacts, schema: str, name: str) -> None:
    quoted = sql_name(schema, name)
    ask = lambda: _ask(desk, quoted)  # noqa: E731
    tabs: dict[str, Callable[[], object]] = {}
    if known.loads_files:
        tabs["Files"] = lambda: files_tab(desk, quoted, ask)
    tabs["Statement"] = lambda: _statement(desk, quoted)
    tabs["Details"] = lambda: Part(desk, ask, _show_details)
    tabs["Batches"] = lambda: _jobs(desk, known, schema, name)
    tabs["Permissions"] = lambda: permissions(desk, f"PIPE {quoted}")
    lazy_tabs(tabs)


def _show_details(known: PipeFacts) -> None:
    facts({name: value for name, value in known.rows.items() if name not in _LEFT_OUT})


def _statement(desk: Desk, quoted: str) -> None:
    async def ask() -> str:
        return str((await desk.ask(f"SHOW CREATE PIPE {quoted}")).rows[0][0])

    Part(desk, ask, sql_text)


def _jobs(desk: Desk, known: PipeFacts, schema: str, name: str) -> None:
    workspace = (known.text("output_name") or "").partition(".")[0].strip("`")
    tag = quote_literal(f"pipe.{workspace}.{schema}.{name}")
    statement = f"SHOW JOBS WHERE query_tag = {tag} LIMIT 50"
    Part(
        desk,
        lambda: desk.rows(statement),
        lambda rows: listing(_JOBS, rows, key="job_id", label="Batches"),
    )
