"""Rows whose matches on the other side of a join came or went, for semi, anti and outer joins.

A row of old(L) that delta(R) touches and that had no match in old(R) has its first now; one without
a match in new(R) lost its last. Both at once cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.algebra.nodes import Join, JoinKind, Node, columns_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import change_of, difference, gathered, weighted


def matched(node: Join, tree: Maintained) -> Delta | None:
    """The change of a semi or an anti join."""
    if tree.dated(node):
        return difference(node, tree)
    left, right = tree.delta(node.left), tree.delta(node.right)
    parts: list[Node] = []
    if left is not None:
        changed = replace(node, left=left.node, right=tree.new(node.right))
        parts.append(change_of(changed, columns_of(node)))
    if right is not None:
        unmatched_before, unmatched_now = _flips(node, right, tree)
        sign = 1 if node.kind is JoinKind.SEMI else -1
        parts += [weighted(rows, sign) for rows in unmatched_before]
        parts += [weighted(rows, -sign) for rows in unmatched_now]
    if not parts:
        return None
    only_matches = right is None or (node.kind is JoinKind.SEMI and right.insert_only)
    return Delta(
        gathered(parts, columns_of(node)),
        Rule.MATCHED if right is not None else Rule.LINEAR,
        insert_only=only_matches and (left is None or left.insert_only),
        minimal=right is None and left is not None and left.minimal,
    )


def _flips(node: Join, right: Delta, tree: Maintained) -> tuple[Sequence[Node], Sequence[Node]]:
    """The touched rows of old(L) that had no match, and those that have none now.

    A row that neither had nor has one, because changes cancelled, is in both.
    """
    touched = tree.shared(Join(JoinKind.SEMI, tree.old(node.left), right.node, node.condition))

    def without(side: Node) -> Node:
        return Join(JoinKind.ANTI, touched, side, node.condition)

    came = [without(tree.old(node.right))]
    # What an insert touched has a match for sure.
    return came, [] if right.insert_only else [without(tree.new(node.right))]
