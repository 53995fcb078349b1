"""What is known of an object, as names and values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from nicegui import ui

from headwater.cell_text import cell
from headwater.studio.shown_times import moment

_LONG = 120


def facts(known: Mapping[str, Any]) -> None:
    """A list of names and values; what is empty is left out, what is long keeps its lines."""
    with ui.element("dl").classes("hw-facts"):
        for name, value in known.items():
            text = moment(value) if isinstance(value, datetime) else cell(value)
            if value is None or text == "":
                continue
            with ui.element("dt"):
                ui.label(name.replace("_", " "))
            with ui.element("dd").props('dir="auto"'):
                if len(text) > _LONG or "\n" in text:
                    with ui.element("pre").classes("hw-sql hw-cell").style("max-width: 100%"):
                        ui.label(text)
                else:
                    ui.label(text)


def size_text(count: int | None) -> str:
    """A number of bytes as people read it.

    >>> size_text(999), size_text(1_536), size_text(5 * 1024**3), size_text(None)
    ('999 B', '1.5 KB', '5 GB', '')
    """
    if count is None:
        return ""
    size, units = float(count), ["B", "KB", "MB", "GB", "TB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.1f}".removesuffix(".0") + f" {units[0]}"
