"""`(a AND b) OR (a AND c)` as `a AND (b OR c)`, so that a join finds its equality."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import all_of, bare, conjuncts, in_parens, without_parens
from headwater.algebra.nodes import Scalar


def common_conjuncts(condition: Scalar) -> tuple[Scalar, ...]:
    """The conjuncts of a condition after what all branches of an OR share is taken out."""
    branches = [conjuncts(branch) for branch in _branches(condition)]
    if len(branches) < 2:
        return (condition,)
    known = [{without_parens(part) for part in branch} for branch in branches]
    shared = set.intersection(*known)
    if not shared:
        return (condition,)
    taken = {without_parens(part): part for part in branches[0] if without_parens(part) in shared}
    rests = [
        all_of(part for part in branch if without_parens(part) not in shared) for branch in branches
    ]
    if any(rest is None for rest in rests):
        return tuple(taken.values())
    return (*taken.values(), _any_of([rest for rest in rests if rest is not None]))


def _branches(condition: Scalar) -> list[Scalar]:
    inner = bare(condition)
    if isinstance(inner, exp.Or):
        return [*_branches(inner.this), *_branches(inner.expression)]
    return [inner]


def _any_of(conditions: list[Scalar]) -> Scalar:
    found = in_parens(conditions[0])
    for condition in conditions[1:]:
        found = exp.Or(this=found, expression=in_parens(condition))
    return found
