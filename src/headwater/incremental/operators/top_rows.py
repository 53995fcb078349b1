"""The first rows of each partition: row_number, rank or dense_rank up to a number.

P are the partitions in delta(R), and R[P] the rows of R in one of them, NULL equal to NULL.

Law: delta(T(R)) = T(T(old(R)[P]) + delta(R)) - T(old(R)[P]), if rows were only added
Law: delta(T(R)) = T(new(R)[P]) - T(old(R)[P])
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.nodes import (
    ColumnId,
    Filter,
    Named,
    Node,
    Project,
    Scalar,
    Union,
    Window,
    columns_of,
)
from headwater.incremental.conjuncts import all_of, conjuncts_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.keys import same_keys, touched_keys, with_keys
from headwater.incremental.weights import exchange, kept


@dataclass(frozen=True, slots=True)
class TopRows:
    """The pattern: a window with one ranking, the condition on it, and what else must hold."""

    window: Window
    first: Scalar
    rest: Scalar | None

    def over(self, rows: Node) -> Node:
        """The first rows of others, without the rest of the condition."""
        return Filter(replace(self.window, input=rows), self.first)

    def checked(self, rows: Node) -> Node:
        """With the rest of the condition."""
        return rows if self.rest is None else Filter(rows, self.rest)


def top_rows(node: Node) -> TopRows | None:
    """The pattern in a node, if it is there."""
    if not (isinstance(node, Filter) and isinstance(node.input, Window)):
        return None
    window = node.input
    if not window.partition or len(window.calls) != 1 or not _is_ranking(window.calls[0]):
        return None
    parts = conjuncts_of(node.condition)
    first = [part for part in parts if _is_first(part, window.calls[0].id)]
    if len(first) != 1 or node.condition.find(exp.CurrentDate) is not None:
        return None
    return TopRows(window, first[0], all_of([part for part in parts if part is not first[0]]))


def delta(found: TopRows, tree: Maintained) -> Delta | None:
    """The first rows of the touched partitions, less those before."""
    below = tree.delta(found.window.input)
    if below is None:
        return None
    condition = same_keys(found.window.partition, tree)
    assert condition is not None
    touched = touched_keys(below.node, found.window.partition, tree)
    before = found.over(with_keys(tree.old(found.window.input), touched, condition))
    if not below.insert_only:
        after = found.over(with_keys(tree.new(found.window.input), touched, condition))
        change = exchange(found.checked(after), found.checked(before))
        return Delta(change, Rule.AFFECTED_PARTITIONS, minimal=True)
    before = tree.shared(before)
    return Delta(_with_new(found, before, below, tree), Rule.TOP_ROWS, minimal=True)


def _with_new(found: TopRows, before: Node, below: Delta, tree: Maintained) -> Node:
    """A row that was not among the first cannot become one because others come."""
    ids = columns_of(found.window.input)
    candidates = Union((Project(before, kept(ids)), Project(below.node, kept(ids))), ids)
    after = found.over(candidates)
    return exchange(found.checked(after), found.checked(before))


def _is_ranking(call: Named) -> bool:
    window = call.value
    return (
        isinstance(window, exp.Window)
        and isinstance(window.this, exp.RowNumber | exp.Rank | exp.DenseRank)
        and window.find(exp.CurrentDate) is None
    )


def _is_first(part: Scalar, id: ColumnId) -> bool:
    """Whether a condition is that a ranking goes up to a number, and no further."""
    if not isinstance(part, exp.EQ | exp.LTE | exp.LT):
        return False
    # An alias stands in parentheses for what it is an alias of.
    left, right = part.this.unnest(), part.expression.unnest()
    if not (isinstance(left, exp.Column) and left.name == id and isinstance(right, exp.Literal)):
        return False
    return not isinstance(part, exp.EQ) or right.name == "1"
