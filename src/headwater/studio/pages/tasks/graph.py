"""The graph of what comes after what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from headwater.names import ObjectName
from headwater.studio.cookies import PREFIX
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.problem import show_empty
from headwater.studio.task_graph import Edges, around, edges_of, graph_options, layers

_COLORS = {"ONLINE": "#16a34a", "PAUSED": "#ca8a04", "OFFLINE": "#94a3b8"}
_ROW_PIXELS = 80
_EXAMPLE = "ALTER TASK etl.sums SET AFTER etl.load;\nSUBMIT TASK etl.sums"


def show_graph(rows: Iterable[Mapping[str, Any]], task: str | None = None) -> None:
    """All tasks that others come after, or those around one; links to each stand below."""
    known = list(rows)
    edges: Edges = edges_of(known)
    edges = around(edges, task) if task is not None else _connected(edges)
    if len(edges) < 2:
        show_empty("No dependencies", "A task waits for others that it runs after:", _EXAMPLE)
        return
    states = {str(ObjectName.of(r["folder"], r["name"])): r["state"] for r in known}
    paths = {
        str(ObjectName.of(r["folder"], r["name"])): studio_path("tasks", r["folder"], r["name"])
        for r in known
    }

    def go(event: EChartPointClickEventArguments) -> None:
        if event.name in paths:
            ui.navigate.to(paths[event.name].removeprefix(PREFIX))

    depth = list(layers(edges).values())
    tallest = max(depth.count(layer) for layer in depth)
    chart = ui.echart(graph_options(edges, states, _COLORS), on_point_click=go)
    chart.classes("w-full").style(f"height: {min(120 + tallest * _ROW_PIXELS, 600)}px")
    chart.props('role=img aria-label="Graph of dependencies"')
    with ui.column().classes("gap-1"):
        for name, after in edges.items():
            if after:
                with ui.row().classes("gap-2 text-sm"):
                    studio_link(name, paths.get(name, ""))
                    ui.label("after " + ", ".join(after)).classes("hw-muted")


def _connected(edges: Edges) -> Edges:
    before = {one for after in edges.values() for one in after}
    return {name: after for name, after in edges.items() if after or name in before}
