"""Window functions: the partitions that the change touches.

P are the partitions in delta(R), and R[P] the rows of R in one of them, NULL equal to NULL.

Law: delta(W(R)) = W(new(R)[P]) - W(old(R)[P])
Without PARTITION BY every change touches all rows: delta(W(R)) = W(new(R)) - W(old(R))
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.nodes import Node, Window
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.keys import same_keys, touched_keys, with_keys
from headwater.incremental.weights import difference, exchange


def delta(node: Window, tree: Maintained) -> Delta | None:
    """The touched partitions as they are, less what they were."""
    below = tree.delta(node.input)
    condition = same_keys(node.partition, tree)
    if tree.dated(node) or (below is not None and condition is None):
        return difference(node, tree)
    if below is None or condition is None:
        return None
    touched = touched_keys(below.node, node.partition, tree)

    def partitions(rows: Node) -> Node:
        return replace(node, input=with_keys(rows, touched, condition))

    change = exchange(partitions(tree.new(node.input)), partitions(tree.old(node.input)))
    return Delta(change, Rule.AFFECTED_PARTITIONS, minimal=True)
