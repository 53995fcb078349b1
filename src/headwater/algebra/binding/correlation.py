"""Conditions that tie a sub-query to the query outside, taken apart."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.expressions import references
from headwater.algebra.nodes import Scalar, columns_of
from headwater.algebra.refusal import Reason, refuse


def split_tie(tie: Scalar, rows: Rows) -> tuple[Scalar | None, Scalar]:
    """The inner and the outer side of an equality; None for the inner one if all is outer."""
    inner_ids = frozenset(columns_of(rows.node))
    if not references(tie) & inner_ids:
        return None, tie
    bare = tie
    while isinstance(bare, exp.Paren):
        bare = bare.this
    if isinstance(bare, exp.EQ):
        for inner, outer in ((bare.left, bare.right), (bare.right, bare.left)):
            if references(inner) <= inner_ids and not references(outer) & inner_ids:
                return inner.copy(), outer.copy()
    raise refuse("a sub-query tied by more than equality", Reason.CORRELATION)
