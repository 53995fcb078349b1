"""ORDER BY with LIMIT: the first rows of all.

Law: delta(T(R)) = T(T(old(R)) + delta(R)) - T(old(R)), if rows were only added and none is skipped
Law: delta(T(R)) = T(new(R)) - T(old(R))
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.nodes import Project, TopK, Union, columns_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import difference, exchange, kept


def delta(node: TopK, tree: Maintained) -> Delta | None:
    """The first rows now, less those before."""
    if tree.dated(node):
        return difference(node, tree)
    below = tree.delta(node.input)
    if below is None:
        return None
    if not below.insert_only or node.offset is not None:
        return difference(node, tree)
    before = tree.shared(tree.old(node))
    ids = columns_of(node)
    # A row that was not among the first cannot become one because others come.
    candidates = Union((before, Project(below.node, kept(ids))), ids)
    return Delta(exchange(replace(node, input=candidates), before), Rule.TOP_ROWS, minimal=True)
