"""What is to be written into a table, and what came of it.

A query gives the table's columns by name, in any order. A change also gives `weight`: how many
copies of the row come (above zero) or go (below), each distinct row once and never with zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

WEIGHT = "__weight"


@dataclass(frozen=True, slots=True)
class Nothing:
    """A commit that only leaves its note and its transaction number."""


@dataclass(frozen=True, slots=True)
class Append:
    """The rows of a query come."""

    rows: str


@dataclass(frozen=True, slots=True)
class Overwrite:
    """The rows of a query take the place of all others.

    With `produced_only`, partitions that get no rows keep those they have.
    """

    rows: str
    produced_only: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """Rows come and go; `weight` is the column that says which, for tables with one of its name."""

    delta: str
    weight: str = WEIGHT


@dataclass(frozen=True, slots=True)
class Rewrite:
    """All rows of a small table; `fate` is the column that says what became of each."""

    rows: str
    fate: str


Write = Nothing | Append | Overwrite | Change | Rewrite


class How(StrEnum):
    """The way a write took."""

    NOTHING = "NOTHING"
    APPEND = "APPEND"
    REWRITE = "REWRITE"
    """Every file is replaced, in one job."""
    TOUCHED_FILES = "TOUCHED_FILES"
    """The files that hold rows to delete are replaced."""
    DELETION_VECTORS = "DELETION_VECTORS"
    """Rows are marked as deleted, others are appended."""
    OVERWRITE = "OVERWRITE"


@dataclass(frozen=True, slots=True)
class Applied:
    """What a write did to the table.

    With `repeated` it did nothing: the table had the transaction already, and `delta_version` is
    the version it was found at.
    """

    how: How
    rows_inserted: int
    rows_deleted: int
    files_added: int
    files_removed: int
    delta_version: int
    repeated: bool = False
