"""A condition as the parts that must all be true, and back."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.nodes import ColumnId, Scalar


def conjuncts_of(condition: Scalar | None) -> tuple[Scalar, ...]:
    """The parts joined by AND."""
    if condition is None:
        return ()
    if isinstance(condition, exp.Paren):
        return conjuncts_of(condition.this)
    if isinstance(condition, exp.And):
        return (*conjuncts_of(condition.this), *conjuncts_of(condition.expression))
    return (condition,)


def all_of(conjuncts: Sequence[Scalar]) -> Scalar | None:
    """The condition that all parts are true; None if there is none."""
    if not conjuncts:
        return None
    whole, *rest = (_closed(part) for part in conjuncts)
    for part in rest:
        whole = exp.And(this=whole, expression=part)
    return whole


def both(first: Scalar, second: Scalar) -> Scalar:
    """The condition that both are true."""
    return exp.And(this=_closed(first), expression=_closed(second))


def columns_in(scalar: Scalar) -> frozenset[ColumnId]:
    """The ids of the columns an expression reads."""
    return frozenset(found.name for found in scalar.find_all(exp.Column))


def _closed(part: Scalar) -> Scalar:
    """A copy in which no operator binds less than AND."""
    copy = part.copy()
    return exp.Paren(this=copy) if isinstance(part, exp.Connector) else copy
