"""Conditions that tie a sub-query to the query outside, taken apart."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.expressions import bare, references
from headwater.algebra.nodes import Scalar, columns_of
from headwater.algebra.refusal import NotIncremental, Reason, refuse


def is_equality(tie: Scalar, rows: Rows) -> bool:
    """Whether a tie can be split."""
    try:
        split_tie(tie, rows)
    except NotIncremental:
        return False
    return True


def split_tie(tie: Scalar, rows: Rows) -> tuple[Scalar | None, Scalar]:
    """The inner and the outer side of an equality; None for the inner one if all is outer."""
    inner_ids = frozenset(columns_of(rows.node))
    if not references(tie) & inner_ids:
        return None, tie
    equal = bare(tie)
    if isinstance(equal, exp.EQ):
        sides = equal.this, equal.expression
        for inner, outer in (sides, sides[::-1]):
            if references(inner) <= inner_ids and not references(outer) & inner_ids:
                return inner.copy(), outer.copy()
    raise refuse("a sub-query tied by more than equality", Reason.CORRELATION)
