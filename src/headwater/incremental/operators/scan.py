"""Source: its delta is what its log says.

Law: new(S) = old(S) + Changes(S)
"""

from __future__ import annotations

from headwater.algebra.nodes import Changes, Scan
from headwater.incremental.deltas import Change, Delta, Maintained, Rule


def delta(node: Scan, tree: Maintained) -> Delta | None:
    """The changes of the source."""
    change = tree.change(node.source)
    if change is Change.NONE:
        return None
    rows = Changes(node.source, node.name, node.fields)
    return Delta(rows, Rule.CHANGES, insert_only=change is Change.INSERTS)
