"""Filter: linear; a change of the date moves rows that did not change over the boundary.

Law: delta(F(R)) = F(delta(R))
Law: delta(F(R)) = F1(delta(R)) + (F1 and not F0)(old(R)) - (F0 and not F1)(old(R)), with F0 and F1
the condition at the old and at the new date
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.nodes import Filter, Node, Scalar, columns_of
from headwater.incremental.conjuncts import all_of, both, conjuncts_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.weights import gathered, weighted

_OPPOSITES: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
}


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
    before, after = _parts(tree.old(node)), _parts(tree.new(node))
    moved = [place for place, part in enumerate(conjuncts_of(node.condition)) if _is_dated(part)]
    rows = tree.old(node.input)
    parts: list[Node] = [
        weighted(Filter(rows, _alone(after, [before[place] for place in moved])), 1),
        weighted(Filter(rows, _alone(before, [after[place] for place in moved])), -1),
    ]
    below = tree.delta(node.input)
    if below is not None:
        parts.append(Filter(below.node, _condition(after)))
    return Delta(gathered(parts, columns_of(node)), Rule.BOUNDARY)


def _parts(node: Node) -> tuple[Scalar, ...]:
    assert isinstance(node, Filter)
    return conjuncts_of(node.condition)


def _condition(parts: Sequence[Scalar]) -> Scalar:
    return all_of(parts) or exp.true()


def _is_dated(part: Scalar) -> bool:
    return part.find(exp.CurrentDate) is not None


def _alone(all_true: Sequence[Scalar], not_all: Sequence[Scalar]) -> Scalar:
    """The first are all true, of the second at least one is not."""
    untrue = [_untrue(part) for part in not_all]
    one = untrue[0]
    for other in untrue[1:]:
        one = exp.Or(this=one, expression=other)
    return both(_condition(all_true), one)


def _untrue(part: Scalar) -> Scalar:
    """False or NULL; of a comparison in a form that lets Spark pass over files."""
    opposite = _OPPOSITES.get(type(part))
    if opposite is None:
        return exp.Not(this=exp.Coalesce(this=part.copy(), expressions=[exp.false()]))
    left, right = part.this, part.expression
    missing = [exp.Is(this=_closed(side), expression=exp.null()) for side in (left, right)]
    against: Scalar = opposite(this=left.copy(), expression=right.copy())
    for one in missing:
        against = exp.Or(this=against, expression=one)
    return exp.Paren(this=against)


def _closed(side: Scalar) -> Scalar:
    copy = side.copy()
    return copy if isinstance(side, exp.Column | exp.Literal) else exp.Paren(this=copy)
