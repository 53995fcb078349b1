"""Which changes are asked for, and which of the readers gives them.

Law: reading (a, b] and then (b, c] gives in sum what reading (a, c] gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reader(StrEnum):
    """How the changes of a range are found."""

    NOTHING = "NOTHING"
    """No row changed."""
    ADDED_FILES = "ADDED_FILES"
    """Rows only came: read where they are."""
    ROW_TRACKING = "ROW_TRACKING"
    """Rows have ids: the images of one id, before and after, belong together."""
    FILE_DIFFERENCE = "FILE_DIFFERENCE"
    """Rows have nothing but their values: those that came less those that went."""


class Wanted(StrEnum):
    """Which changes of a range are asked for."""

    NET = "NET"
    """What turns the table at the start into the table at the end."""
    WEIGHTED = "WEIGHTED"
    """The same in sum: changes that cancel each other may be left in where they are few."""
    EVERY = "EVERY"
    """What each commit did."""
    INSERTED = "INSERTED"
    """The rows that commits inserted, whatever became of them."""


NETTED = (Wanted.NET, Wanted.WEIGHTED)
"""For which it does not matter which commit of a range did what."""


@dataclass(frozen=True, slots=True)
class ChangeRange:
    """The commits after `from_version` up to and with `to_version`; -1 is before the first one."""

    from_version: int
    to_version: int

    def __post_init__(self) -> None:
        if not -1 <= self.from_version <= self.to_version:
            raise ValueError(f"not a range of versions: {self}")

    @property
    def is_empty(self) -> bool:
        """Whether it holds no commit."""
        return self.from_version == self.to_version

    def __str__(self) -> str:
        return f"({self.from_version}, {self.to_version}]"
