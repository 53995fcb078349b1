"""Which way a change takes, by what the log says of the table.

A small table is rewritten: one job, however many rows change. A large one keeps its files, and so
does one whose rows have ids: a rewrite would give them others.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.lake.commits.stored_table import StoredTable, live_rows
from headwater.lake.commits.writes import How

DELETION_VECTORS = "delta.enableDeletionVectors"
ROW_TRACKING = "delta.enableRowTracking"


@dataclass(frozen=True, slots=True)
class Limits:
    """Up to this size a table is small."""

    rows: int = 200_000
    bytes: int = 32 * 1024**2

    def holds(self, rows: int, bytes: int) -> bool:
        """Whether a table of this size is small."""
        return rows <= self.rows and bytes <= self.bytes


SMALL = Limits()


def way_of_change(table: StoredTable, limits: Limits) -> How:
    """How to change the table if rows go."""
    tracked = table.is_on(ROW_TRACKING)
    rows = table.rows
    if not tracked and rows is not None and limits.holds(rows, table.bytes):
        return How.REWRITE
    # Delta takes a vector only for files that say how many rows they hold.
    counted = all(live_rows(file) is not None for file in table.files)
    if counted and table.is_on(DELETION_VECTORS):
        return How.DELETION_VECTORS
    return How.TOUCHED_FILES
