"""The tree of folders and scripts: every task of the lake, and the samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from headwater.studio import samples
from headwater.studio.chips import tone
from headwater.studio.cookies import PREFIX
from headwater.studio.desk import Desk
from headwater.studio.part import Part

Rows = list[dict[str, Any]]
_FEW = 20
_ICONS = {"DYNAMIC_TABLE": "autorenew", "PYTHON": "code"}


class _Scripts(ui.element, component="script_links.js"):
    """The scripts of a folder, drawn by the browser."""

    def __init__(self, scripts: Iterable[Mapping[str, Any]]) -> None:
        super().__init__()
        # Of a tuple NiceGUI does not watch each value.
        self.props["scripts"] = tuple(scripts)


def script_link(folder: str, name: str) -> str:
    """The address of a script in the editor."""
    return f"{PREFIX}/?{urlencode({'folder': folder, 'task': name})}"


def open_script(folder: str, name: str) -> None:
    """Go to a script; names ignore case."""
    ui.navigate.to(script_link(folder.lower(), name.lower()).removeprefix(PREFIX))


def show_tree(desk: Desk, folder: str | None, task: str | None) -> None:
    """Folders that open, each with its scripts."""
    with ui.element("nav").props('aria-label="Scripts"').classes("w-full"):
        with ui.row().classes("items-center gap-1 w-full"):
            ui.label("Scripts").classes("font-semibold")
            ui.space()
            new = ui.button(icon="add", on_click=lambda: ui.navigate.to("/"))
            new.props('flat round dense size=sm aria-label="New script"')
        Part(desk, lambda: _ask(desk), lambda rows: _show(rows, folder, task))
        _samples(opened=folder == samples.FOLDER)


async def _ask(desk: Desk) -> Rows:
    rows = await desk.rows("SHOW TASKS")
    kept = ("folder", "name", "kind", "state", "changed")
    return [{name: row[name] for name in kept} for row in rows]


def _show(rows: Rows, folder: str | None, task: str | None) -> None:
    if not rows:
        ui.label("No script is kept yet.").classes("hw-muted text-sm")
    for name, inside in groupby(sorted(rows, key=_order), key=lambda row: row["folder"]):
        opened = folder in (None, name) or len(rows) <= _FEW
        with _folder(name, opened=opened), ui.column().classes("gap-0 w-full"):
            here = (folder or "", task or "")
            _Scripts([_script(row, here=here == (row["folder"], row["name"])) for row in inside])


def _order(row: dict[str, Any]) -> tuple[str, str]:
    return row["folder"], row["name"]


def _folder(name: str, *, opened: bool) -> ui.expansion:
    made = ui.expansion(name, icon="folder", value=opened).props("dense dense-toggle")
    return made.classes("w-full").style("overflow-wrap: anywhere")


def _script(row: dict[str, Any], *, here: bool) -> dict[str, Any]:
    return {
        "href": script_link(row["folder"], row["name"]),
        "name": row["name"],
        "icon": _ICONS.get(row["kind"], "description"),
        "state": "" if row["state"] == "OFFLINE" else row["state"],
        "tone": tone(row["state"]),
        "draft": bool(row["changed"]),
        "here": here,
    }


def _samples(*, opened: bool) -> None:
    with (
        ui.expansion("Sample scripts", icon="school", value=opened)
        .classes("w-full")
        .props("dense dense-toggle")
    ):
        ui.label(samples.FOLDER).classes("hw-muted text-xs").style("overflow-wrap: anywhere")
        for sample in samples.SAMPLES:
            link = ui.element("a").classes("hw-nav text-sm")
            link.props["href"] = f"{PREFIX}/?{urlencode({'sample': sample.name})}"
            with link:
                ui.icon("description" if sample.table is None else "autorenew")
                ui.label(sample.name).style("overflow-wrap: anywhere").classes("min-w-0")
