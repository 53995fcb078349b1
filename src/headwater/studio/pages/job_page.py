"""The page of one job: what it was, what it read, how it went."""

from __future__ import annotations

from nicegui import ui
from starlette.requests import Request

from headwater.names import quote_literal
from headwater.studio.actions import action_button
from headwater.studio.desk import Desk, Desks
from headwater.studio.fact_list import fact_list
from headwater.studio.frame import frame, heading
from headwater.studio.job_lines import Profile, profile_in
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.part import Part
from headwater.studio.plan_view import show_plan, show_waterfall
from headwater.studio.show_sql import sql_text
from headwater.studio.shown_times import duration

PATH = "/compute"
_EVERY_SECONDS = 5
_RUNNING = ("RUNNING", "QUEUED")
_SECOND_MS = 1000


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(f"{PATH}/jobs/{{job_id}}")
    async def job(request: Request, job_id: str) -> None:
        desk = desks.of(request)
        with frame(desk, "Job", here=PATH):
            studio_link("Compute", studio_path("compute"))
            heading("Job", job_id)
            _JobPart(desk, job_id)


class _JobPart:
    """Asks again while the job runs; what has ended stays as it is."""

    def __init__(self, desk: Desk, job_id: str) -> None:
        self._desk = desk
        self._statement = f"DESC JOB {quote_literal(job_id)}"
        self._cancel = f"CANCEL JOB {quote_literal(job_id)}"
        self._part = Part(desk, self._ask, self._show)
        self._timer = ui.timer(_EVERY_SECONDS, self._part.refresh, immediate=False)

    async def _ask(self) -> Profile:
        profile = profile_in((await self._desk.ask(self._statement)).rows)
        if profile.facts.get("status") not in _RUNNING:
            self._timer.deactivate()
        return profile

    def _show(self, profile: Profile) -> None:
        facts = profile.facts
        if facts.get("status") in _RUNNING:
            with ui.row():
                action_button(
                    self._desk,
                    "Cancel job",
                    self._cancel,
                    icon="cancel",
                    danger=True,
                    then=self._part.refresh,
                )
        with ui.element("div").classes("hw-card"):
            fact_list(
                [
                    ("State", facts.get("status")),
                    ("User", facts.get("creator")),
                    ("Began", facts.get("start_time")),
                    ("Ended", facts.get("end_time")),
                    ("Took", duration(int(facts.get("execution_time") or 0) / _SECOND_MS)),
                    ("Cluster", facts.get("vcluster_name")),
                    ("Query tag", facts.get("query_tag")),
                    ("Refresh was", facts.get("refresh_mode")),
                    ("Because", facts.get("refresh_reason")),
                    ("Rows in", facts.get("input_rows")),
                    ("Rows produced", facts.get("rows_produced")),
                    ("Inserted, updated, deleted", _written(profile)),
                    ("Wrote", facts.get("output_tables")),
                    ("Settings", facts.get("hint")),
                ],
                chips=frozenset({"State", "Refresh was"}),
            )
        if facts.get("error_message"):
            problem = ui.element("div").classes("hw-error").props("role=alert")
            with problem, ui.element("pre").classes("hw-sql"):
                ui.label(str(facts["error_message"]))
        sql_text(str(facts.get("job_text") or ""))
        _section("Read", profile.sources)
        if profile.plan:
            ui.label("Incremental plan").classes("font-semibold")
            show_plan(profile.plan)
        ui.label("Stages of Spark's work").classes("font-semibold")
        if profile.stages:
            show_waterfall(profile.stages)
        else:
            ui.label("none, or not known any more").classes("hw-muted")


def _written(profile: Profile) -> str:
    names = ("rows_inserted", "rows_updated", "rows_deleted")
    return ", ".join(str(profile.facts.get(name) or 0) for name in names)


def _section(title: str, lines: list[str]) -> None:
    if lines:
        ui.label(title).classes("font-semibold")
        for line in lines:
            ui.label(line).classes("hw-mono text-sm").style("overflow-wrap: anywhere")
