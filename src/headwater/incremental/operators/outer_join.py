"""Left and full joins: matches, and rows without a match with NULLs for the other side.

Law: delta(L left R) = delta(L inner R) + padded(delta(L anti R))
Law: delta(L full R) = delta(L inner R) + padded(delta(L anti R)) + padded(delta(R anti L))
Law: delta(L left R) = delta(L) left R, if R did not change
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    ColumnId,
    Join,
    JoinKind,
    Named,
    Project,
    Scalar,
    column,
    columns_of,
)
from headwater.incremental.conjuncts import conjuncts_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.matches import matched
from headwater.incremental.operators.inner_join import terms
from headwater.incremental.weights import change_of, difference, gathered


def delta(node: Join, tree: Maintained) -> Delta | None:
    """The parts of the join, each changed by its own rule."""
    if tree.dated(node):
        return difference(node, tree)
    left, right = tree.delta(node.left), tree.delta(node.right)
    if right is None and node.kind is JoinKind.LEFT:
        return None if left is None else _of_left(node, left, tree)
    ids = columns_of(node)
    found = [terms((node.left, node.right), conjuncts_of(node.condition), ids, tree)]
    found.append(_padded(matched(replace(node, kind=JoinKind.ANTI), tree), ids))
    if node.kind is JoinKind.FULL:
        turned = Join(JoinKind.ANTI, node.right, node.left, node.condition)
        found.append(_padded(matched(turned, tree), ids))
    parts = [part for part in found if part is not None]
    if not parts:
        return None
    return Delta(
        gathered([part.node for part in parts], ids),
        Rule.MATCHED,
        insert_only=all(part.insert_only for part in parts),
    )


def _of_left(node: Join, left: Delta, tree: Maintained) -> Delta:
    rows = change_of(replace(node, left=left.node, right=tree.new(node.right)), columns_of(node))
    return Delta(rows, Rule.LINEAR, insert_only=left.insert_only)


def _padded(part: Delta | None, ids: tuple[ColumnId, ...]) -> Delta | None:
    """With NULL for the columns that are not there."""
    if part is None:
        return None
    there = frozenset(columns_of(part.node))
    return replace(part, node=Project(part.node, tuple(_pad(id, there) for id in (*ids, WEIGHT))))


def _pad(id: ColumnId, there: frozenset[ColumnId]) -> Named:
    value: Scalar = column(id) if id in there else exp.null()
    return Named(id, value)
