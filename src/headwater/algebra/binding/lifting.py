"""Sub-queries inside expressions: joined to the rows, a column in their place."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.membership import (
    exists_column,
    member_column,
    non_member_column,
    query_of,
)
from headwater.algebra.binding.rows import Rows, placeholder
from headwater.algebra.binding.scalar_subquery import scalar_column
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import bare
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
        lifted, rows = lift(binding, value, rows)
        done.append(lifted)
    return tuple(done), rows


def lift(binding: Binding, value: exp.Expression, rows: Rows) -> tuple[exp.Expression, Rows]:
    """An expression without sub-queries."""
    found = _found(value)
    if sum(not isinstance(node, exp.Subquery) for node in found) > _MOST:
        raise refuse(f"more than {_MOST} of EXISTS and IN at one place", Reason.SUBQUERY, value)
    columns: dict[int, exp.Expression] = {}
    for node in found:
        made, rows = _column(binding, node, rows)
        named = binding.ids.named("subquery", made)
        rows = rows.extended((named,)).with_names({("#lifted", named.id): named.id})
        columns[id(node)] = placeholder(("#lifted", named.id))
    return (_replaced_in(value, columns) if columns else value), rows


def _replaced_in(value: exp.Expression, columns: dict[int, exp.Expression]) -> exp.Expression:
    """Nodes are told apart by identity: equal ones may stand at several places."""
    if id(value) in columns:
        return columns[id(value)]
    copy = value.copy()
    for original, node in zip(list(value.walk()), list(copy.walk()), strict=True):
        if id(original) in columns:
            node.replace(columns[id(original)])
    return copy


def _column(binding: Binding, node: exp.Expression, rows: Rows) -> tuple[Scalar, Rows]:
    if isinstance(node, exp.Exists):
        return exists_column(binding, node, rows)
    if isinstance(node, exp.In):
        return member_column(binding, node, rows)
    if isinstance(node, exp.Not):
        return non_member_column(binding, _in_of(node), rows)
    return scalar_column(binding, node, rows)


def _found(node: exp.Expression, *, negated: bool = False) -> list[exp.Expression]:
    """The topmost sub-queries, each with the NOT that belongs to an IN."""
    if _is_member_test(node):
        if negated:
            # Spark moves the NOT inwards, which matters where SQL says NULL.
            raise refuse("IN deeper under NOT", Reason.SUBQUERY, node)
        return [node]
    if isinstance(node, exp.Not) and _is_member_test(bare(node.this)) and not negated:
        return [node]
    if isinstance(node, exp.Subquery) or (isinstance(node, exp.Exists) and query_of(node)):
        return [node]
    if is_query(node) or isinstance(node, exp.Any | exp.All):
        raise refuse("a sub-query at this place", Reason.SUBQUERY, node)
    within = isinstance(node, exp.Not) or (
        negated and isinstance(node, exp.And | exp.Or | exp.Paren)
    )
    return [found for child in node.iter_expressions() for found in _found(child, negated=within)]


def _in_of(negation: exp.Not) -> exp.In:
    inner = bare(negation.this)
    assert isinstance(inner, exp.In)
    return inner


def _is_member_test(node: exp.Expression) -> bool:
    return isinstance(node, exp.In) and query_of(node) is not None
