"""Generator such as explode: linear, because each row is taken for itself.

Law: delta(G(R)) = G(delta(R))
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.nodes import Generate, columns_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import change_of, difference


def delta(node: Generate, tree: Maintained) -> Delta | None:
    """What the generator makes of the changed rows."""
    if tree.dated(node):
        return difference(node, tree)
    below = tree.delta(node.input)
    if below is None:
        return None
    made = change_of(replace(node, input=below.node), columns_of(node))
    return Delta(made, Rule.LINEAR, insert_only=below.insert_only)
