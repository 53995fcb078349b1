"""Which version of a table a query is to read, whatever has been written to it since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Pin:
    """A Delta version, or the newest; with `columns` only these, as when the query was made."""

    delta_version: int | None
    columns: tuple[str, ...] | None = None
    view: str | None = None
    """A view of that version, to be read instead."""


def pin(version: int, then: Sequence[str] | None, there: Sequence[str]) -> Pin:
    """A version whose columns are `there`, of which the query knew those of `then`."""
    if then is None or list(then) == list(there):
        return Pin(version)
    known = {name.lower() for name in there}
    return Pin(version, tuple(name for name in then if name.lower() in known))


@dataclass(frozen=True, slots=True)
class WavePins:
    """The moment of a wave, and the Delta versions that all its refreshes read, by table."""

    at: datetime
    versions: dict[str, int] = field(default_factory=dict)

    def version(self, table_id: str, newest: int) -> int:
        """The version to read; of a table that nobody has pinned it is the newest from now on."""
        return self.versions.setdefault(table_id, newest)
