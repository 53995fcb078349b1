"""A query that is not taken apart: worked out on both snapshots, and compared.

Law: delta(Q) = new(Q) - old(Q)
"""

from __future__ import annotations

from headwater.algebra.nodes import Opaque
from headwater.incremental.deltas import Delta, Maintained
from headwater.incremental.weights import difference


def delta(node: Opaque, tree: Maintained) -> Delta | None:
    """The difference, if a source changed."""
    return difference(node, tree) if tree.changed(node) else None
