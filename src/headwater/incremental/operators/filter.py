"""Filter: linear; a change of the date moves rows that did not change over the boundary.

Law: delta(F(R)) = F(delta(R))
Law: delta(F(R)) = F1(delta(R)) + (F1 and not F0)(old(R)) - (F0 and not F1)(old(R)), with F0 and F1
the condition at the old and at the new date
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.nodes import Filter, Node, Scalar, columns_of
from headwater.incremental.conjuncts import both
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import gathered, weighted


def delta(node: Filter, tree: Maintained) -> Delta | None:
    """The changed rows that pass."""
    if tree.dated(node):
        return _over_the_boundary(node, tree)
    below = tree.delta(node.input)
    if below is None:
        return None
    return Delta(
        Filter(below.node, node.condition),
        Rule.LINEAR,
        insert_only=below.insert_only,
        minimal=below.minimal,
    )


def _over_the_boundary(node: Filter, tree: Maintained) -> Delta:
    before, after = _condition(tree.old(node)), _condition(tree.new(node))
    rows = tree.old(node.input)
    parts: list[Node] = [
        weighted(Filter(rows, _first_alone(after, before)), 1),
        weighted(Filter(rows, _first_alone(before, after)), -1),
    ]
    below = tree.delta(node.input)
    if below is not None:
        parts.append(Filter(below.node, after))
    return Delta(gathered(parts, columns_of(node)), Rule.BOUNDARY)


def _condition(node: Node) -> Scalar:
    assert isinstance(node, Filter)
    return node.condition


def _first_alone(first: Scalar, second: Scalar) -> Scalar:
    """The first is true, the second false or NULL."""
    untrue = exp.Not(this=exp.Coalesce(this=second.copy(), expressions=[exp.false()]))
    return both(first, untrue)
