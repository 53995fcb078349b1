"""Whether a condition can be true of a row whose columns from one side are all NULL.

If not, a filter on it makes an inner join of an outer one.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import bare
from headwater.algebra.nodes import ColumnId, Scalar

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)
_STRICT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def rejects_nulls(condition: Scalar, ids: frozenset[ColumnId]) -> bool:
    """True only if it surely does."""
    inner = bare(condition)
    if isinstance(inner, _COMPARISONS):
        return _is_null_with(inner.this, ids) or _is_null_with(inner.expression, ids)
    if isinstance(inner, exp.Between):
        return _is_null_with(inner.this, ids)
    if isinstance(inner, exp.Not):
        test = bare(inner.this)
        is_null = isinstance(test, exp.Is) and isinstance(test.expression, exp.Null)
        return is_null and _is_null_with(test.this, ids)
    return False


def _is_null_with(value: Scalar, ids: frozenset[ColumnId]) -> bool:
    """Whether an expression is NULL if those columns are."""
    inner = bare(value)
    if isinstance(inner, exp.Column):
        return inner.name in ids
    if isinstance(inner, _STRICT):
        return _is_null_with(inner.this, ids) or _is_null_with(inner.expression, ids)
    if isinstance(inner, exp.Neg | exp.Cast):
        return _is_null_with(inner.this, ids)
    return False
