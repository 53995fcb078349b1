"""Virtual clusters and the history of jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import show_identifier
from headwater.result import Result
from headwater.studio.actions import action_button
from headwater.studio.chips import tone
from headwater.studio.desk import Desk, Desks
from headwater.studio.fact_list import fact_list
from headwater.studio.frame import frame, heading
from headwater.studio.job_filter import STATES, JobFilter
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.shown_times import duration
from headwater.studio.statement_form import Field, Values, statement_form

PATH = "/compute"
Rows = list[dict[str, Any]]
Then = Callable[[Result], Awaitable[None]]
_SIZES = ("1", "2", "4", "8", "16", "32", "64", "128", "256")
_TYPES = ("GENERAL", "ANALYTICS", "INTEGRATION")
_SECOND_MS = 1000
_LONGEST_TEXT = 300

_COLUMNS = (
    ListColumn("job_id", "Job", link=lambda row: studio_path("compute", "jobs", row["job_id"])),
    ListColumn("status", "State", chip=True),
    ListColumn("job_text", "Statement", value=lambda row: _short(row["job_text"]), mono=True),
    ListColumn("creator", "User"),
    ListColumn("start_time", "Began"),
    ListColumn(
        "took",
        "Took",
        value=lambda row: duration(row["execution_time"] / _SECOND_MS),
        unbroken=True,
    ),
    ListColumn("vcluster_name", "Cluster"),
    ListColumn("query_tag", "Query tag"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def compute(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Compute", here=PATH):
            heading("Compute", "Virtual clusters, and what runs and ran on them")
            _clusters(desk)
            _jobs(desk)


def _clusters(desk: Desk) -> None:
    async def ask() -> Rows:
        return await desk.rows("SHOW VCLUSTERS")

    async def again(result: Result) -> None:
        await part.refresh()

    def new() -> None:
        statement_form(
            desk,
            "New cluster",
            (
                Field("name", "Name", hint="3 to 28 letters, digits and underscores"),
                Field("type", "Type", choices=_TYPES),
                Field("size", "Size", choices=_SIZES),
            ),
            lambda v: (
                f"CREATE VCLUSTER {show_identifier(v['name'])} VCLUSTER_TYPE = {v['type']}"
                f" VCLUSTER_SIZE = {v['size']}"
            ),
            then=again,
        )

    with ui.row().classes("items-center gap-3"):
        ui.label("Virtual clusters").classes("font-semibold")
        ui.button("New cluster", icon="add", on_click=new).props("outline dense no-caps")
    part = Part(desk, ask, lambda rows: _show_clusters(desk, rows, again))


def _show_clusters(desk: Desk, rows: Rows, again: Then) -> None:
    with ui.row().classes("w-full gap-3"):
        for row in rows:
            with ui.element("section").classes("hw-card").style("flex: 1 1 20rem"):
                _cluster(desk, row, again)


def _cluster(desk: Desk, row: dict[str, Any], again: Then) -> None:
    name = show_identifier(row["name"])
    with ui.row().classes("items-center gap-2"):
        ui.label(row["name"]).classes("font-semibold")
        ui.label(row["state"]).classes(f"hw-chip {_cluster_tone(row['state'])}")
    fact_list(
        [
            ("Type", row["vcluster_type"]),
            ("Size", row["vcluster_size"]),
            ("Running, queued", f"{row['running_jobs']}, {row['queued_jobs']}"),
            ("Suspends after", _idle(row["auto_suspend_in_second"])),
        ]
    )

    def resize() -> None:
        def build(values: Values) -> str:
            return f"ALTER VCLUSTER {name} SET VCLUSTER_SIZE = {values['size']}"

        size = Field("size", "Size", value=str(row["vcluster_size"]), choices=_SIZES)
        statement_form(desk, f"Size of {row['name']}", (size,), build, then=again)

    with ui.row().classes("gap-2 mt-2"):
        if row["state"] == "RUNNING":
            action_button(desk, "Suspend", f"ALTER VCLUSTER {name} SUSPEND", icon="pause")
        else:
            action_button(desk, "Resume", f"ALTER VCLUSTER {name} RESUME", icon="play_arrow")
        ui.button("Size", icon="straighten", on_click=resize).props("outline dense no-caps")
        stop = f"ALTER VCLUSTER {name} CANCEL ALL JOBS"
        action_button(desk, "Cancel all jobs", stop, icon="cancel", danger=True)


def _cluster_tone(state: str) -> str:
    return "hw-good" if state == "RUNNING" else tone(state)


def _idle(seconds: int) -> str:
    return "never" if seconds < 0 else duration(seconds)


def _jobs(desk: Desk) -> None:
    texts = {"text": "", "state": "", "user": "", "query_tag": ""}
    flags = {"metadata": False}

    async def ask() -> Rows:
        given = {name: value or "" for name, value in texts.items()}
        return await desk.rows(JobFilter(**given, metadata=flags["metadata"]).statement())

    async def look() -> None:
        await part.refresh()

    ui.label("Jobs of the last seven days").classes("font-semibold")
    with ui.element("div").classes("hw-filters"):
        for name, label in (("text", "Text"), ("user", "User"), ("query_tag", "Query tag")):
            field = ui.input(label).props("dense outlined clearable debounce=400")
            field.bind_value_to(texts, name).on_value_change(look)
        state = ui.select(
            {"": "all", **{name: name for name in STATES}}, label="State", value=""
        ).props("dense outlined")
        state.bind_value_to(texts, "state").on_value_change(look)
        also = ui.checkbox("Also SHOW and DESC").bind_value_to(flags, "metadata")
        also.on_value_change(look)
    part = Part(desk, ask, _show_jobs)


def _show_jobs(rows: Rows) -> Update[Rows]:
    with ui.column().classes("w-full") as none:
        show_empty("No such job", "Jobs are listed for seven days.")
    with ui.column().classes("w-full") as some:
        redraw = listing(_COLUMNS, rows, key="job_id", label="Jobs")

    def update(newer: Rows) -> None:
        none.set_visibility(not newer)
        some.set_visibility(bool(newer))
        redraw(newer)

    update(rows)
    return update


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} .."
