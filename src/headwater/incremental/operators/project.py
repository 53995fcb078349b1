"""Projection: linear.

Law: delta(P(R)) = P(delta(R))
"""

from __future__ import annotations

from headwater.algebra.nodes import WEIGHT, Project
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import difference, kept


def delta(node: Project, tree: Maintained) -> Delta | None:
    """The projection of the changed rows; a date in it changes rows that did not."""
    if tree.dated(node):
        return difference(node, tree)
    below = tree.delta(node.input)
    if below is None:
        return None
    rows = Project(below.node, (*node.outputs, *kept((WEIGHT,))))
    return Delta(rows, Rule.LINEAR, insert_only=below.insert_only)
