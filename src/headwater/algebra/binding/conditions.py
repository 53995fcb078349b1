"""Conjuncts of WHERE and HAVING: filters, ties to the query outside, semi and anti joins."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.lifting import lift
from headwater.algebra.binding.membership import (
    join_existing,
    join_members,
    join_non_members,
    query_of,
)
from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import bare
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import JoinKind, Scalar


def bind_conditions(
    binding: Binding, parts: list[exp.Expression], rows: Rows
) -> tuple[Rows, tuple[Scalar, ...]]:
    """The rows for which all parts are true, and the parts that only the outside can decide."""
    nested = [part for part in parts if any(is_query(node) for node in part.walk())]
    ties: list[Scalar] = []
    for part in parts:
        if part in nested:
            continue
        if rows.is_correlated(part):
            ties.append(rows.tied(part))
        else:
            rows = rows.filtered((rows.bound(part),))
    for part in nested:
        rows, tie = _bind_nested(binding, part, rows)
        ties += tie
    return rows, tuple(ties)


def _bind_nested(
    binding: Binding, part: exp.Expression, rows: Rows
) -> tuple[Rows, tuple[Scalar, ...]]:
    outer = bare(part)
    negated = isinstance(outer, exp.Not)
    predicate = bare(outer.this) if negated else outer
    if isinstance(predicate, exp.Exists) and query_of(predicate) is not None:
        kind = JoinKind.ANTI if negated else JoinKind.SEMI
        return join_existing(binding, predicate, rows, kind), ()
    if isinstance(predicate, exp.In) and query_of(predicate) is not None:
        join = join_non_members if negated else join_members
        return join(binding, predicate, rows), ()
    value, rows = lift(binding, part, rows)
    if rows.is_correlated(value):
        return rows, (rows.tied(value),)
    return rows.filtered((rows.bound(value),)), ()
