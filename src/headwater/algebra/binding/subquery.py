"""A query that is bound but not closed: what it gives may still need columns from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from sqlglot import exp

from headwater.algebra.binding.rows import Ids, Rows
from headwater.algebra.nodes import ColumnId, Named, Node, Project, Scalar
from headwater.algebra.refusal import Reason, refuse
from headwater.algebra.sources import SourceTable


class Purpose(Enum):
    """What the rows of a query are for: all of them, whether there are any, which values occur."""

    ROWS = auto()
    EXISTENCE = auto()
    MEMBERSHIP = auto()


@dataclass(frozen=True, slots=True)
class Bound:
    """A node, what its query gives of each row, and the conditions that tie it to the outside.

    `outputs` and `conditions` may name columns of the outer rows. With `one_row` there is exactly
    one row, for a group that `conditions` pick; `when_empty` says what its aggregate calls give
    then for a group without rows, where that is not NULL. With `at_most_one` they pick one or none.
    """

    node: Node
    outputs: tuple[Named, ...]
    conditions: tuple[Scalar, ...] = ()
    one_row: bool = False
    when_empty: Mapping[ColumnId, Scalar | None] = field(default_factory=dict)
    at_most_one: bool = False

    def projected(self, ids: Ids) -> tuple[Node, tuple[ColumnId, ...]]:
        """The rows as they are, for a place where nothing may come from outside."""
        if self.conditions:
            raise refuse("a sub-query that needs the query outside", Reason.CORRELATION)
        node = Project(self.node, self.outputs)
        return node, tuple(output.id for output in self.outputs)


class Binding(Protocol):
    """What the parts of binding need of each other."""

    tables: Mapping[str, SourceTable]
    ids: Ids

    def query(
        self, query: exp.Expression, outer: Rows | None = None, purpose: Purpose = Purpose.ROWS
    ) -> Bound:
        """The rows of a query; what they need of `outer` is left to the caller to join on."""
