"""Literal rows: they do not change, unless the date stands in them.

Law: delta(V) = 0, or V with the new date - V with the old date
"""

from __future__ import annotations

from headwater.algebra.nodes import Values
from headwater.incremental.deltas import Delta, Maintained
from headwater.incremental.weights import difference


def delta(node: Values, tree: Maintained) -> Delta | None:
    """Nothing, or the rows before and after."""
    return difference(node, tree) if tree.dated(node) else None
