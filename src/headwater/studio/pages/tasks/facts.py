"""What is known of a thing, as a list of names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nicegui import ui

from headwater.cell_text import cell


def show_facts(known: Mapping[str, Any], names: Iterable[str]) -> None:
    """Those of the names that have a value."""
    with ui.element("dl").classes("hw-facts"):
        for name in names:
            if known.get(name) is not None:
                with ui.element("dt"):
                    ui.label(name.replace("_", " ").capitalize())
                with ui.element("dd"):
                    ui.label(cell(known[name]))
