"""The fields of a schedule, for the panel of a script and for the wizard of a dynamic table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from headwater.names import ObjectName
from headwater.studio.desk import Desk
from headwater.studio.schedule_form import CRON, DAILY, HOURS, MINUTES, RULES, ScheduleForm


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen: clusters, and the tasks that a task may come after."""

    clusters: tuple[str, ...]
    tasks: tuple[str, ...]


async def choices(desk: Desk, own: str = "") -> Choices:
    """Asks the lake; `own` is the task itself."""
    clusters = await desk.rows("SHOW VCLUSTERS")
    tasks = await desk.rows("SHOW TASKS")
    names = [
        str(ObjectName.of(row["folder"], row["name"]))
        for row in tasks
        if row["kind"] != "DYNAMIC_TABLE"
    ]
    return Choices(
        tuple(row["name"] for row in clusters), tuple(name for name in names if name != own)
    )


class ScheduleFields:
    """Drawn where it is made; `script` fields are those that only scripts have."""

    def __init__(
        self, form: ScheduleForm, given: Choices, changed: Callable[[], None], *, script: bool
    ) -> None:
        self._form = form
        self._script = script
        self._told = changed
        with ui.row().classes("gap-3 w-full"):
            self._rule = self._keep(ui.select(RULES, value=form.rule, label="Cycle"))
            self._every = self._keep(
                ui.number("Every", value=form.every, min=1, max=59, precision=0), MINUTES, HOURS
            )
            self._at = self._keep(ui.input("At (hh:mm)", value=form.at), DAILY, HOURS)
            self._cron = self._keep(
                ui.input("Cron", value=form.cron, placeholder="0 */5 * * * ? *"), CRON
            )
        with ui.row().classes("gap-3 w-full"):
            self._first = self._keep(ui.input("First day", value=form.first_day))
            self._last = self._keep(ui.input("Last day", value=form.last_day))
            self._zone = self._keep(ui.input("Time zone", value=form.time_zone))
        clusters = {"": "DEFAULT", **{name: name for name in given.clusters if name != "DEFAULT"}}
        clusters.setdefault(form.vcluster, form.vcluster)
        self._cluster = self._keep(ui.select(clusters, value=form.vcluster, label="Run cluster"))
        known = sorted({*given.tasks, *form.after})
        after = ui.select(known, value=list(form.after), label="Runs after", multiple=True)
        self._after = self._keep(after).classes("w-full").props("use-chips")
        with ui.row().classes("gap-3 w-full"):
            self._retries = self._keep(
                ui.number("Retries", value=form.retries, min=0, max=100, precision=0)
            )
            self._pause = self._keep(
                ui.number("Seconds between", value=form.retry_seconds, min=0, precision=0)
            )
            self._timeout = self._keep(
                ui.number(
                    "Timeout in seconds", value=form.timeout_seconds or None, min=0, precision=0
                )
            )
        self._comment = self._keep(ui.input("Comment", value=form.comment)).classes("w-full")
        self._self = ui.checkbox("Waits for its own instance before", value=form.self_dependent)
        self._self.on_value_change(changed)
        self._parameters = self._keep(
            ui.textarea("Parameters", value=form.parameters, placeholder="day = $[yyyy-MM-dd, -1d]")
        ).classes("w-full")
        for field in (self._self, self._parameters):
            field.set_visibility(script)

    def value(self) -> ScheduleForm:
        """What the fields hold now."""
        return ScheduleForm(
            rule=self._rule.value,
            every=_whole(self._every.value, 1),
            at=(self._at.value or "").strip(),
            cron=(self._cron.value or "").strip(),
            first_day=(self._first.value or "").strip(),
            last_day=(self._last.value or "").strip(),
            time_zone=(self._zone.value or "").strip(),
            vcluster=self._cluster.value or "",
            after=tuple(self._after.value or ()),
            self_dependent=self._script and bool(self._self.value),
            retries=_whole(self._retries.value, 0),
            retry_seconds=_whole(self._pause.value, 0),
            timeout_seconds=_whole(self._timeout.value, 0),
            parameters=(self._parameters.value or "") if self._script else "",
            comment=self._comment.value or "",
        )

    def _keep(self, field: Any, *rules: str) -> Any:
        field.props("dense outlined").classes("min-w-32 grow")
        field.on_value_change(lambda: self._told())
        if rules:
            field.bind_visibility_from(self._rule, "value", lambda rule: rule in rules)
        return field


def _whole(value: float | None, otherwise: int) -> int:
    return otherwise if value is None else int(value)
