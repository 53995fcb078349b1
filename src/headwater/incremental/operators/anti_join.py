"""Anti join, NOT EXISTS and NOT IN: the left rows that have no match.

Law: delta(L anti R) = delta(L) anti new(R) + lost - gained, where of the rows of old(L) that
delta(R) touches `gained` are those without a match in old(R), `lost` those without one in new(R)
"""

from __future__ import annotations

from headwater.algebra.nodes import Join
from headwater.incremental.deltas import Delta, Maintained
from headwater.incremental.matches import matched


def delta(node: Join, tree: Maintained) -> Delta | None:
    """Changed rows without a match, and rows whose matches came or went."""
    return matched(node, tree)
