"""Semi join, EXISTS and IN: the left rows that have a match.

Law: delta(L semi R) = delta(L) semi new(R) + gained - lost, where of the rows of old(L) that
delta(R) touches `gained` are those without a match in old(R), `lost` those without one in new(R)
"""

from __future__ import annotations

from headwater.algebra.nodes import Join
from headwater.incremental.deltas import Delta, Maintained
from headwater.incremental.matches import matched


def delta(node: Join, tree: Maintained) -> Delta | None:
    """Changed rows that match, and rows whose matches came or went."""
    return matched(node, tree)
