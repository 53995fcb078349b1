"""A sub-query that is one value: a join with one row, or with one row for each tie."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding, Bound
from headwater.algebra.binding.top import closed
from headwater.algebra.expressions import all_of, call, references, substituted
from headwater.algebra.nodes import (
    Aggregate,
    Join,
    JoinKind,
    Node,
    Project,
    Scalar,
    column,
)
from headwater.algebra.refusal import Reason, refuse

_TOO_MANY = "more than one row returned by a subquery used as an expression"


def scalar_column(binding: Binding, query: exp.Expression, rows: Rows) -> tuple[Scalar, Rows]:
    """The value, over the rows joined with the sub-query."""
    bound = binding.query(query, rows)
    if len(bound.outputs) != 1:
        raise refuse("a sub-query of several columns as a value", Reason.SUBQUERY, query)
    if bound.conditions:
        return _tied(bound, query, rows)
    if not bound.one_row:
        return _checked(binding, bound, rows)
    joined = Join(JoinKind.INNER, rows.node, bound.node)
    return bound.outputs[0].value, rows.over(joined)


def _tied(bound: Bound, query: exp.Expression, rows: Rows) -> tuple[Scalar, Rows]:
    """A row that has no group gets what the sub-query gives for no rows."""
    if not bound.one_row:
        raise refuse("a correlated sub-query without an aggregate", Reason.CORRELATION, query)
    value = bound.outputs[0].value
    empty: dict[str, Scalar] = {}
    for id, scalar in bound.when_empty.items():
        if id not in references(value):
            continue
        if scalar is None:
            raise refuse("this aggregate in a correlated sub-query", Reason.CORRELATION, query)
        empty[id] = scalar
    joined = Join(JoinKind.LEFT, rows.node, bound.node, all_of(bound.conditions))
    return substituted(value, empty), rows.over(joined)


def _checked(binding: Binding, bound: Bound, rows: Rows) -> tuple[Scalar, Rows]:
    """One row whatever the sub-query gives, and an error if that is more than one."""
    inner = Project(bound.node, closed(bound))
    value = binding.ids.named("max", exp.Max(this=column(bound.outputs[0].id)))
    count = binding.ids.named("count", exp.Count(this=exp.Star()))
    node: Node = Aggregate(inner, (), (value, count))
    many = exp.GT(this=column(count.id), expression=exp.Literal.number(1))
    error = call("raise_error", exp.Literal.string(_TOO_MANY))
    checked = call("if", many, error, column(value.id))
    return checked, rows.over(Join(JoinKind.INNER, rows.node, node))
