"""Partitions of a dynamic table as plain data. No I/O.

Law: of the partitions that were refreshed, the narrowest that holds a row is the one whose frontier
the row follows. So a refresh of a partition makes all that lie inside it forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.names import quote_literal, show_identifier


@dataclass(frozen=True, slots=True)
class Partition:
    """The values of the first partition columns, as Delta writes them; None is NULL."""

    values: tuple[tuple[str, str | None], ...]

    @property
    def key(self) -> str:
        """What tells it from others, as text."""
        return json.dumps([list(pair) for pair in self.values], separators=(",", ":"))

    @classmethod
    def from_key(cls, key: str) -> Partition:
        """What `key` was made of."""
        return cls(tuple((name, value) for name, value in json.loads(key)))

    def holds(self, other: Partition) -> bool:
        """Whether every row of the other one is a row of this one."""
        return other.values[: len(self.values)] == self.values

    def meets(self, other: Partition) -> bool:
        """Whether a row may lie in both."""
        return self.holds(other) or other.holds(self)

    def __str__(self) -> str:
        pairs = (
            f"{show_identifier(name)} = {'NULL' if value is None else quote_literal(value)}"
            for name, value in self.values
        )
        return ", ".join(pairs)


def inside(outer: Partition, among: Sequence[Partition]) -> tuple[Partition, ...]:
    """Those that lie in a partition and are not it."""
    return tuple(one for one in among if outer != one and outer.holds(one))
