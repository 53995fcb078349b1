"""Rows with a weight behind them, and how changes are put together."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    ColumnId,
    Named,
    Net,
    Node,
    Project,
    Scalar,
    Union,
    column,
    columns_of,
)
from headwater.incremental.deltas import Delta, Maintained, Rule


def weight_of(number: int) -> Scalar:
    """A weight as a literal, of the type that the weights of sources have."""
    literal = exp.Literal.number(abs(number))
    value = exp.Neg(this=literal) if number < 0 else literal
    return exp.Cast(this=value, to=exp.DataType.build("bigint"))


def weighted(node: Node, number: int) -> Node:
    """Each row of a node as a change by `number` copies."""
    return Project(node, (*kept(columns_of(node)), Named(WEIGHT, weight_of(number))))


def kept(ids: Sequence[ColumnId]) -> tuple[Named, ...]:
    """Columns as they are."""
    return tuple(Named(id, column(id)) for id in ids)


def change_of(rows: Node, ids: Sequence[ColumnId]) -> Node:
    """Rows that hold these columns and a weight somewhere, with the weight last."""
    wanted = (*ids, WEIGHT)
    return rows if columns_of(rows) == wanted else Project(rows, kept(wanted))


def gathered(changes: Sequence[Node], ids: Sequence[ColumnId]) -> Node:
    """Several changes of the same columns as one."""
    wanted = (*ids, WEIGHT)
    if len(changes) == 1:
        return changes[0] if columns_of(changes[0]) == wanted else _renamed(changes[0], wanted)
    return Union(tuple(changes), wanted)


def exchange(came: Node, went: Node) -> Node:
    """The change from the rows that `went` to those that `came`, without what is in both."""
    return Net(Union((weighted(came, 1), weighted(went, -1)), (*columns_of(came), WEIGHT)))


def difference(node: Node, tree: Maintained) -> Delta:
    """Law: delta = new - old. Right for every node, and as dear as working it out twice."""
    return Delta(exchange(tree.new(node), tree.old(node)), Rule.DIFFERENCE, minimal=True)


def _renamed(change: Node, ids: Sequence[ColumnId]) -> Node:
    pairs = zip(ids, columns_of(change), strict=True)
    return Project(change, tuple(Named(id, column(old)) for id, old in pairs))
