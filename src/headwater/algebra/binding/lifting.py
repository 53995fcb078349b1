"""Sub-queries inside expressions: joined to the rows, a column in their place."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.membership import exists_column, member_column, query_of
from headwater.algebra.binding.rows import Rows, placeholder
from headwater.algebra.binding.scalar_subquery import scalar_column
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import Scalar
from headwater.algebra.refusal import Reason, refuse

Expressions = tuple[exp.Expression, ...]
_MOST = 3
"""Of EXISTS and IN as values at one place: each joins the rows up to three times."""


def lift_subqueries(binding: Binding, values: Expressions, rows: Rows) -> tuple[Expressions, Rows]:
    """The expressions without sub-queries."""
    done: list[exp.Expression] = []
    for value in values:
        lifted, rows = _lift(binding, value, rows, true_only=False)
        done.append(lifted)
    return tuple(done), rows


def lift_condition(
    binding: Binding, value: exp.Expression, rows: Rows
) -> tuple[exp.Expression, Rows]:
    """A condition without sub-queries, of which only matters whether it is true."""
    return _lift(binding, value, rows, true_only=True)


def _lift(
    binding: Binding, value: exp.Expression, rows: Rows, *, true_only: bool
) -> tuple[exp.Expression, Rows]:
    found = _found(value, true_only=true_only)
    if sum(1 for node, _ in found if not isinstance(node, exp.Subquery)) > _MOST:
        raise refuse(f"more than {_MOST} of EXISTS and IN at one place", Reason.SUBQUERY, value)
    columns: dict[int, exp.Expression] = {}
    for node, only in found:
        made, rows = _column(binding, node, rows, true_only=only)
        named = binding.ids.named("subquery", made)
        rows = rows.extended((named,)).with_names({("#lifted", named.id): named.id})
        columns[id(node)] = placeholder(("#lifted", named.id))
    return (_replaced_in(value, columns) if columns else value), rows


def _replaced_in(value: exp.Expression, columns: dict[int, exp.Expression]) -> exp.Expression:
    """Nodes are told apart by identity, so the copy is made by hand along the way."""
    if id(value) in columns:
        return columns[id(value)]
    copy = value.copy()
    originals = list(value.walk())
    for original, node in zip(originals, list(copy.walk()), strict=True):
        if id(original) in columns:
            node.replace(columns[id(original)])
    return copy


def _column(
    binding: Binding, node: exp.Expression, rows: Rows, *, true_only: bool
) -> tuple[Scalar, Rows]:
    if isinstance(node, exp.Exists):
        return exists_column(binding, node, rows)
    if isinstance(node, exp.In):
        return member_column(binding, node, rows, true_only=true_only)
    return scalar_column(binding, node, rows)


def _found(node: exp.Expression, *, true_only: bool) -> list[tuple[exp.Expression, bool]]:
    """The topmost sub-queries, and whether NULL is as good as false for each."""
    if isinstance(node, exp.Exists | exp.In) and query_of(node) is not None:
        return [(node, true_only)]
    if isinstance(node, exp.Subquery):
        return [(node, False)]
    if is_query(node) or isinstance(node, exp.Any | exp.All):
        raise refuse("a sub-query at this place", Reason.SUBQUERY, node)
    only = true_only and isinstance(node, exp.And | exp.Or | exp.Paren)
    return [found for child in node.iter_expressions() for found in _found(child, true_only=only)]
