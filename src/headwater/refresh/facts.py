"""What a refresh knows before it decides: its sources then and now, and what else changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.catalog.dynamic_tables import RefreshMode
from headwater.incremental.deltas import Change
from headwater.refresh.reasons import Reason


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a refresh cannot be incremental this time, or never; `detail` names what is meant."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source between two refreshes; sizes are what the log says, None where it does not."""

    table_id: str
    name: str
    from_version: int | None
    to_version: int
    change: Change
    told_by: str
    """How the log tells what happened."""
    changed_rows: int | None = None
    changed_bytes: int = 0
    rows: int | None = None
    bytes: int = 0
    problem: Problem | None = None
    ignored: bool = False
    """It is a dimension table, and changed since the rows were last worked out as a whole."""

    @property
    def share(self) -> float:
        """How much of it changed: of its rows, or where the log does not count them its bytes.

        To find the few rows that went, whole files may have to be read.
        """
        if self.changed_rows is not None and self.rows:
            return self.changed_rows / self.rows
        return self.changed_bytes / self.bytes if self.bytes else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "table": self.name,
            "from_version": self.from_version,
            "to_version": self.to_version,
            "change": self.change.value,
            "told_by": self.told_by,
            "changed_rows": self.changed_rows,
            "rows": self.rows,
        }


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that the kind of a refresh depends on, but for what it would cost."""

    mode: RefreshMode
    refreshed_before: bool
    full_asked_for: bool
    problems: tuple[Problem, ...]
    """Of the table itself: its query, its settings, its rows."""
    sources: tuple[SourceFacts, ...]
    date_matters: bool
    """The query reads the date, which is not that of the last refresh."""
    not_incremental: Problem | None
