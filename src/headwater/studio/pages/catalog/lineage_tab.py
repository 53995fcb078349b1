"""What an object reads, and what reads it, over any number of steps."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from headwater.studio.desk import Desk
from headwater.studio.in_schemas import sql_name
from headwater.studio.lineage_layers import Layer, Node, layers
from headwater.studio.listing import studio_link, studio_path
from headwater.studio.part import Part
from headwater.studio.problem import show_empty

_SCREENS = {"VOLUME": "volumes", "PIPE": "pipes"}
Rows = list[dict[str, Any]]


def lineage_tab(desk: Desk, schema: str, name: str) -> None:
    """Layers from left to right: sources, the object, readers."""
    statement = f"SHOW LINEAGE OF {sql_name(schema, name)}"

    def show(rows: Rows) -> None:
        if not rows:
            show_empty("Reads nothing that is there, and nothing reads it")
            return
        found = layers(rows)
        with ui.element("div").classes("hw-flow").props('aria-label="Lineage" tabindex=0'):
            for layer in (one for one in found if one.distance < 0):
                _layer(layer)
            with ui.column().classes("gap-2"):
                ui.label("This object").classes("hw-muted text-sm")
                with ui.column().classes("hw-card gap-0"):
                    ui.label(f"{schema}.{name}").classes("font-semibold hw-mono")
            for layer in (one for one in found if one.distance > 0):
                _layer(layer)

    Part(desk, lambda: desk.rows(statement), show)


def _layer(layer: Layer) -> None:
    with ui.column().classes("gap-2"):
        ui.label(_words(layer.distance)).classes("hw-muted text-sm")
        for node, towards in layer.nodes:
            with ui.column().classes("hw-card gap-0"):
                _title(node)
                ui.label(node.type.lower()).classes("hw-muted text-sm")
                if abs(layer.distance) > 1:
                    arrow = "→" if layer.distance < 0 else "←"
                    ends = ", ".join(one.title for one in towards)
                    ui.label(f"{arrow} {ends}").classes("hw-muted text-sm")


def _title(node: Node) -> None:
    if node.type == "KAFKA":
        ui.label(node.title).classes("hw-mono")
        return
    path = studio_path(_SCREENS.get(node.type, "catalog"), node.schema, node.name)
    studio_link(node.title, path).classes("hw-mono")


def _words(distance: int) -> str:
    if abs(distance) == 1:
        return "Comes from" if distance < 0 else "Goes to"
    return f"{abs(distance)} steps {'before' if distance < 0 else 'after'}"
