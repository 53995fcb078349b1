"""Monitoring: how fresh everything is, what alerts say, and how much ran and failed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.names import show_identifier
from headwater.result import Result
from headwater.studio.actions import confirm
from headwater.studio.buckets import Bucket, Happened, buckets
from headwater.studio.chart_colors import LINES, WORDS
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.freshness import (
    Freshness,
    of_dynamic_table,
    of_pipe,
    of_stream,
    of_task,
    worst_first,
)
from headwater.studio.in_schemas import in_all_schemas
from headwater.studio.listing import ListColumn, listing
from headwater.studio.opened_tabs import opened_tabs
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.shown_times import duration
from headwater.studio.statement_form import Field, statement_form
from headwater.studio.user_texts import WATCHED, create_alert_text

PATH = "/monitoring"
Rows = list[dict[str, Any]]
_EVERY_SECONDS = 120
_CHART_SECONDS = 120
_MOST_JOBS = 10_000
_SPANS = {
    "1 h": (timedelta(minutes=5), 12),
    "24 h": (timedelta(hours=1), 24),
    "7 d": (timedelta(hours=12), 14),
}

_FRESHNESS = (
    ListColumn("state", "Health", chip=True, hint=lambda row: row["said"] or None),
    ListColumn("kind", "Kind"),
    ListColumn("name", "Name", link=lambda row: row["path"]),
    ListColumn(
        "lag",
        "Behind",
        number=True,
        bar=lambda row: row["share"],
        shown=lambda row: duration(row["lag"]),
    ),
    ListColumn("allowed", "Allowed", value=lambda row: duration(row["allowed"])),
    ListColumn("said", "Why"),
)
_ALERTS = (
    ListColumn("name", "Alert"),
    ListColumn("watches", "Watches"),
    ListColumn("notifies", "Tells"),
    ListColumn("firing", "Firing", number=True),
    ListColumn("creator", "By"),
)
_EVENTS = (
    ListColumn("alert_name", "Alert"),
    ListColumn("state", "State", chip=True),
    ListColumn("message", "Message"),
    ListColumn("fired_time", "Fired"),
    ListColumn("resolved_time", "Over"),
    ListColumn("problem", "Not told"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def monitoring(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Monitoring", here=PATH):
            heading("Monitoring", "What is late, what failed, and who was told")
            opened_tabs(
                {
                    "Freshness": lambda: _freshness(desk),
                    "Throughput": lambda: _throughput(desk),
                    "Alerts": lambda: _alerts(desk),
                },
                label="Monitoring",
            )


def _freshness(desk: Desk) -> None:
    Part(
        desk,
        lambda: _ask_freshness(desk),
        _show_freshness,
        live=False,
        every=_EVERY_SECONDS,
        first=lambda: _ask_freshness(desk, streams=False),
    )


async def _ask_freshness(desk: Desk, *, streams: bool = True) -> Rows:
    """All that has to be fresh; how streams are is in the logs of their tables: that takes long."""
    now, workspace = desk.now, show_identifier(desk.workspace)
    found = [of_pipe(row, now) for row in await in_all_schemas(desk, "SHOW PIPES EXTENDED")]
    found += [of_task(row, now) for row in await desk.rows_if_allowed("SHOW TASKS")]
    tables = await desk.rows(f"SHOW DYNAMIC TABLES IN WORKSPACE {workspace}")
    found += [of_dynamic_table(row, now) for row in tables]
    if streams:
        rows = await in_all_schemas(desk, "SHOW TABLE STREAMS EXTENDED")
        found += [of_stream(row, now) for row in rows]
    return [_row(one) for one in worst_first(found)]


def _row(one: Freshness) -> dict[str, Any]:
    lag = None if one.lag is None else one.lag // 10 * 10
    key = f"{one.kind} {one.name}"
    return {**asdict(one), "lag": lag, "share": one.share, "state": one.health.state, "key": key}


def _show_freshness(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty("Nothing has to be fresh yet", "Dynamic tables, pipes, streams and tasks do.")
        return None
    return listing(_FRESHNESS, rows, key="key", label="Freshness")


def _throughput(desk: Desk) -> None:
    span = ui.toggle(list(_SPANS), value="24 h").props("no-caps dense")

    async def ask() -> tuple[list[Bucket], list[Bucket]]:
        width, count = _SPANS[span.value]
        jobs = await desk.rows(f"SHOW JOBS LIMIT {_MOST_JOBS}")
        refreshes = await desk.rows(f"SHOW DYNAMIC TABLE REFRESH HISTORY LIMIT {_MOST_JOBS}")
        now = desk.now
        return (
            buckets([_job(row) for row in jobs], now, width=width, count=count),
            buckets([_refresh(row) for row in refreshes], now, width=width, count=count),
        )

    part = Part(desk, ask, _show_charts, live=False, every=_CHART_SECONDS)
    span.on_value_change(part.refresh)


def _job(row: dict[str, Any]) -> Happened:
    return Happened(row["start_time"], ok=row["status"] not in ("FAILED", "CANCELLED"))


def _refresh(row: dict[str, Any]) -> Happened:
    stats = row["stats"] or {}
    rows = int(stats.get("rows_inserted", 0)) + int(stats.get("rows_deleted", 0))
    return Happened(row["start_time"], ok=row["state"] != "FAILED", amount=rows)


def _show_charts(found: tuple[list[Bucket], list[Bucket]]) -> None:
    jobs, refreshes = found
    for title, spans, amount in (("Jobs", jobs, None), ("Refreshes", refreshes, "rows written")):
        done, failed = sum(b.done for b in spans), sum(b.failed for b in spans)
        ui.label(f"{title}: {done:,} well, {failed:,} failed").classes("font-semibold")
        chart = ui.echart(_chart(spans, amount)).classes("w-full").style("height: 260px")
        chart.props["role"], chart.props["aria-label"] = "img", f"{title} over time"


def _chart(spans: list[Bucket], amount: str | None) -> dict[str, Any]:
    bar = {"type": "bar", "stack": "jobs"}
    series: list[dict[str, Any]] = [
        {**bar, "name": "well", "data": [b.done for b in spans], "color": "#0f766e"},
        {**bar, "name": "failed", "data": [b.failed for b in spans], "color": "#dc2626"},
    ]
    value = {"type": "value", "axisLabel": {"color": WORDS}}
    axes: list[dict[str, Any]] = [{**value, "minInterval": 1, "splitLine": LINES}]
    if amount is not None:
        axes.append({**value, "minInterval": 1, "splitLine": {"show": False}})
        amounts = [b.amount for b in spans]
        line = {"type": "line", "yAxisIndex": 1, "data": amounts, "color": "#2563eb"}
        series.append({**line, "name": amount})
    return {
        "animation": False,
        "tooltip": {"trigger": "axis"},
        "legend": {"top": 0, "textStyle": {"color": WORDS}},
        "grid": {"left": 45, "right": 45, "top": 35, "bottom": 25},
        "xAxis": {
            "type": "category",
            "data": [b.begin.strftime("%d. %H:%M") for b in spans],
            "axisLabel": {"color": WORDS},
        },
        "yAxis": axes,
        "series": series,
    }


def _alerts(desk: Desk) -> None:
    async def ask() -> tuple[Rows, Rows]:
        return await desk.rows("SHOW ALERTS"), await desk.rows("SHOW ALERT EVENTS LIMIT 200")

    async def again(result: Result) -> None:
        await part.refresh()

    def new() -> None:
        fields = (
            Field("name", "Name"),
            Field("watched", "Watches", choices=WATCHED),
            Field("object", "Object", hint="of ANY TASK none"),
            Field("minutes", "More than minutes", value="60", hint="of a lag"),
            Field("address", "Address", secret=True, hint="such as jsons://host/path; kept sealed"),
        )
        statement_form(desk, "New alert", fields, create_alert_text, then=again)

    ui.button("New alert", icon="add", on_click=new).props("outline dense no-caps")
    part = Part(desk, ask, lambda found: _show_alerts(desk, *found))


def _show_alerts(desk: Desk, alerts: Rows, events: Rows) -> None:
    if not alerts:
        show_empty("No alert yet", "An alert tells an address when something fails or is late.")
    else:
        listing(_ALERTS, alerts, key="name", label="Alerts")
        with ui.row().classes("gap-2 items-center"):
            chosen = ui.select([row["name"] for row in alerts], label="Alert").props(
                "dense outlined"
            )

            async def drop() -> None:
                if chosen.value:
                    text = f"DROP ALERT {show_identifier(chosen.value)}"
                    await confirm(desk, "Drop alert", text, danger=True)

            ui.button("Drop", icon="delete", on_click=drop).props(
                "outline dense no-caps color=negative"
            )
    ui.label("Events").classes("font-semibold")
    if not events:
        show_empty("No alert has fired")
        return
    keyed = [{**row, "key": str(place)} for place, row in enumerate(events)]
    listing(_EVENTS, keyed, key="key", label="Alert events")
