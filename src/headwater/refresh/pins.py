"""Which version of a table a query is to read, whatever has been written to it since."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pin:
    """A Delta version, or the newest; with `columns` only these, as when the query was made."""

    delta_version: int | None
    columns: tuple[str, ...] | None = None
