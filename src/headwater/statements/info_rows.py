"""The two columns, info_name and info_value, in which DESC shows everything but tables."""

from __future__ import annotations

from datetime import datetime

from headwater.cell_text import cell
from headwater.result import Row


def info_rows(**values: object) -> list[Row]:
    """One row per value, in order, every value as text."""
    return [(name, info_text(value)) for name, value in values.items()]


def info_text(value: object) -> str | None:
    """A value as DESC prints it."""
    if value is None:
        return None
    return cell(value) if isinstance(value, datetime) else str(value)
