"""A list of facts: a name and what it is, one below the other."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from nicegui import ui

from headwater.cell_text import cell
from headwater.studio.chips import tone
from headwater.studio.shown_times import moment

Fact = tuple[str, Any]


def fact_list(facts: Iterable[Fact], *, chips: frozenset[str] = frozenset()) -> None:
    """Draws them; those whose names are in `chips` as states in their colour."""
    with ui.element("dl").classes("hw-facts"):
        for name, value in facts:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                shown = ui.label(fact_text(value))
                if name in chips and value:
                    shown.classes(f"hw-chip {tone(value)}")


def fact_text(value: Any) -> str:
    """A value as a fact shows it; a dash for none.

    >>> fact_text(None), fact_text(""), fact_text(True), fact_text(3)
    ('-', '-', 'true', '3')
    """
    if value is None or value == "":
        return "-"
    return moment(value) if isinstance(value, datetime) else cell(value)
