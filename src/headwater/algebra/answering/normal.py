"""Expressions in one form, to be compared: without parentheses, sides of comparisons in an order.

Law: two expressions with the same normal form have the same values.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import without_parens
from headwater.algebra.nodes import Scalar

_MIRRORED: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.NullSafeEQ: exp.NullSafeEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


def normal(scalar: Scalar) -> Scalar:
    """The form of an expression that is compared, never printed."""
    plain = without_parens(scalar)
    if not any(isinstance(node, tuple(_MIRRORED)) for node in plain.walk()):
        return plain
    made: Scalar = plain.transform(_in_order)
    return made


def _in_order(node: exp.Expression) -> exp.Expression:
    mirrored = _MIRRORED.get(type(node))
    if mirrored is None or node.this.sql() <= node.expression.sql():
        return node
    return mirrored(this=node.expression, expression=node.this)
