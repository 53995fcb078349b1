"""UNION ALL: linear in every branch.

Law: delta(A + B) = delta(A) + delta(B)
"""

from __future__ import annotations

from headwater.algebra.nodes import Union
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import gathered


def delta(node: Union, tree: Maintained) -> Delta | None:
    """The changes of the branches that changed."""
    found = (tree.delta(branch) for branch in node.branches)
    changes = [change for change in found if change is not None]
    if not changes:
        return None
    return Delta(
        gathered([change.node for change in changes], node.ids),
        Rule.LINEAR,
        insert_only=all(change.insert_only for change in changes),
        minimal=len(changes) == 1 and changes[0].minimal,
    )
