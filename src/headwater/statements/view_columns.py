"""The columns of a view of information_schema, written as one text."""

from __future__ import annotations

from headwater.result import Column


def view_columns(text: str) -> tuple[Column, ...]:
    """Columns from `name type, name type`; a name alone is a string."""
    pairs = [item.split() for item in text.split(",")]
    return tuple(Column(pair[0], pair[1] if len(pair) > 1 else "string") for pair in pairs)
