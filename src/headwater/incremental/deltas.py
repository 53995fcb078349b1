"""What a rule gets and gives: the tree before and after, the deltas below, and the delta it makes.

Law of every rule: new(node) = old(node) + delta(node), as bags, whatever the sources hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from headwater.algebra.nodes import Aggregate, ColumnId, Node

if TYPE_CHECKING:
    from headwater.incremental.states import State


class Change(StrEnum):
    """What happened to a source between the two snapshots, as its log tells without reading it."""

    NONE = "NONE"
    INSERTS = "INSERTS"
    ANY = "ANY"


class Rule(StrEnum):
    """How the delta of an operator is found; EXPLAIN shows it."""

    UNCHANGED = "UNCHANGED"
    CHANGES = "CHANGES"
    """A source: what its log says."""
    LINEAR = "LINEAR"
    """The operator applied to the changed rows alone."""
    TELESCOPED = "TELESCOPED"
    """A join: one term for each changed input, the others old or new."""
    MATCHED = "MATCHED"
    """Semi, anti and outer joins: rows whose matches came or went."""
    MERGED_GROUPS = "MERGED_GROUPS"
    """Stored aggregates plus those of the change."""
    AFFECTED_GROUPS = "AFFECTED_GROUPS"
    """The groups that the change touches, worked out anew."""
    AFFECTED_PARTITIONS = "AFFECTED_PARTITIONS"
    """The window partitions that the change touches, worked out anew."""
    TOP_ROWS = "TOP_ROWS"
    """The first rows of the touched partitions, from those before and the new ones."""
    BOUNDARY = "BOUNDARY"
    """A filter by date: rows that the date's change let in or out."""
    DIFFERENCE = "DIFFERENCE"
    """The operator worked out on both snapshots, and compared."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The change of a node's rows: its columns, then WEIGHT.

    With `insert_only` every weight is 1. A row may stand in it several times, also with weights
    that cancel, unless it is `minimal`.
    """

    node: Node
    rule: Rule
    insert_only: bool = False
    minimal: bool = False


class Maintained(Protocol):
    """The tree under maintenance, as a rule sees it."""

    def old(self, node: Node) -> Node:
        """The node over the sources as they were."""

    def new(self, node: Node) -> Node:
        """The node over the sources as they are."""

    def delta(self, node: Node) -> Delta | None:
        """The change of a node's rows; None if there surely is none."""

    def kept(self, node: Aggregate) -> State | None:
        """What is kept of a grouping, if that is there."""

    def keep(self, state: State, change: Node) -> None:
        """Note how a state changes."""

    def shared(self, node: Node) -> Node:
        """The same rows, computed once although several places read them."""

    def change(self, source: str) -> Change:
        """What happened to a source."""

    def changed(self, node: Node) -> bool:
        """Whether the rows of a node may differ between the snapshots."""

    def dated(self, node: Node) -> bool:
        """Whether an expression in the node itself has another value because the date changed."""

    def type_of(self, id: ColumnId) -> str:
        """Spark's short text for a column's type; empty if nobody knows."""

    def is_float(self, id: ColumnId) -> bool:
        """Whether a column holds floating-point numbers, at any depth of its type."""

    def nullable(self, id: ColumnId) -> bool:
        """Whether a column may hold NULL."""
