"""The graph around a dynamic table: what it reads, and what reads it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from headwater.names import QualifiedName
from headwater.studio.desk import Desk
from headwater.studio.fact_list import fact_list
from headwater.studio.graph_layout import HEIGHT, WIDTH, Edge, Layout, Near, layout, near
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.pages.dynamic_tables.asking import Rows, all_tables
from headwater.studio.part import Part, Update
from headwater.studio.shown_times import duration, moment

_DIRECTIONS = {
    "both": "Both directions",
    "upstream": "Upstream only",
    "downstream": "Downstream only",
}
_ICONS = {"hw-good": "check_circle", "hw-bad": "error", "hw-warn": "pause_circle"}


def graph_tab(desk: Desk, focus: str) -> None:
    """Draws it, and draws it again when something changed."""
    Part(desk, lambda: all_tables(desk), lambda rows: _Graph(focus).show(rows))


class _Graph:
    """Lives as long as the tab is drawn: what is chosen stays chosen when the data changes."""

    def __init__(self, focus: str) -> None:
        self._focus = focus
        self._chosen = focus
        self._rows: dict[str, dict[str, Any]] = {}
        self._edges: list[Edge] = []
        self._boxes: dict[str, ui.element] = {}

    def show(self, rows: Rows) -> Update[Rows]:
        with ui.row().classes("items-center gap-3"):
            self._direction = ui.toggle(_DIRECTIONS, value="both").props("no-caps dense")
            self._note = ui.label().classes("hw-muted")
        with ui.row().classes("w-full items-start gap-4"):
            self._place = ui.element("div").classes("hw-graph").props('aria-label="Graph"')
            self._side = ui.column().classes("hw-card hw-side").props('aria-live="polite"')
        self._direction.on_value_change(self._draw)
        self._take(rows)
        return self._take

    def _take(self, rows: Rows) -> None:
        self._rows = {row["key"]: row for row in rows}
        self._edges = [
            (source, row["key"]) for row in rows for source in map(_name, row["source_tables"])
        ]
        self._draw()

    def _draw(self) -> None:
        way = self._direction.value
        found = near(
            self._edges,
            self._focus,
            upstream=way != "downstream",
            downstream=way != "upstream",
        )
        placed = layout(found.nodes, self._edges)
        self._note.set_text(_said(found))
        self._place.clear()
        self._boxes.clear()
        with self._place:
            _lines(placed)
            for name, place in placed.places.items():
                self._box(name, place)
        self._choose(self._chosen if self._chosen in found.nodes else self._focus)

    def _box(self, name: str, place: tuple[int, int]) -> None:
        row = self._rows.get(name)
        colour = _tone(row)
        box = ui.element("button").classes(f"hw-node {colour}").props('type="button"')
        x, y = place
        box.style(f"left: {x}px; top: {y}px; width: {WIDTH}px; height: {HEIGHT}px")
        box.on("click", lambda: self._choose(name))
        self._boxes[name] = box
        with box:
            with ui.row(wrap=False).classes("items-center gap-1"):
                ui.icon(_ICONS.get(colour, "table_chart")).props('aria-hidden="true"')
                ui.label(name).classes("hw-name ellipsis")
            with ui.element("small"):
                ui.label("table" if row is None else _state_and_lag(row))
            with ui.element("small"):
                ui.label("" if row is None else _last_delta(row))

    def _choose(self, name: str) -> None:
        self._chosen = name
        for other, box in self._boxes.items():
            box.props(f"aria-pressed={str(other == name).lower()}")
        self._side.clear()
        with self._side:
            _side(name, self._rows.get(name))


def _name(source: dict[str, str]) -> str:
    return str(QualifiedName("", source["schema"], source["table_name"]))


def _tone(row: dict[str, Any] | None) -> str:
    if row is None:
        return "hw-plain"
    if row["state"] == "SUSPENDED" and not row["suspended_reason"]:
        return "hw-warn"
    return "hw-bad" if row["troubles"] else "hw-good"


def _state_and_lag(row: dict[str, Any]) -> str:
    return f"{row['state']}, lag {duration(row['lag'])}"


def _last_delta(row: dict[str, Any]) -> str:
    mode = row["last_refresh_mode"]
    if mode is None:
        return "never refreshed" if row["last_refresh_state"] is None else "last refresh failed"
    came, went = row["last_rows_inserted"] or 0, row["last_rows_deleted"] or 0
    return f"{mode} +{came:,} -{went:,}"


def _said(found: Near) -> str:
    hidden = [
        f"{count:,} more {way}"
        for count, way in ((found.hidden_upstream, "upstream"), (found.hidden_downstream, "below"))
        if count
    ]
    shown = f"{len(found.nodes):,} shown"
    return f"{shown}; too far away: {', '.join(hidden)}" if hidden else shown


def _lines(placed: Layout) -> None:
    # The graph is as large as its boxes, so that it can be scrolled.
    ui.element("div").style(f"width: {placed.width}px; height: {placed.height}px")
    svg = ui.element("svg").props('aria-hidden="true"')
    svg.props["width"], svg.props["height"] = str(placed.width), str(placed.height)
    with svg:
        ui.element("path").props["d"] = placed.path


def _side(name: str, row: dict[str, Any] | None) -> None:
    ui.label(name).classes("font-semibold").style("overflow-wrap: anywhere")
    if row is None:
        ui.label("A table that dynamic tables read.").classes("hw-muted")
        return
    fact_list(
        [
            ("State", row["state"]),
            ("Lag", duration(row["lag"])),
            ("Target", duration(row["target_lag_second"])),
            ("Last refresh", moment(row["last_refresh_time"])),
            ("Was", row["last_refresh_mode"]),
            ("Because", row["last_refresh_reason"]),
            ("Last delta", _last_delta(row)),
            ("Next refresh", row["next_refresh_time"]),
            ("Trouble", "; ".join(row["troubles"]) or None),
        ],
        chips=frozenset({"State", "Was"}),
    )
    target = studio_path("dynamic-tables", row["schema_name"], row["name"])
    studio_link("Open", target)
