"""A sub-query that is one value: a join with one row, or with one row for each tie."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding, Bound
from headwater.algebra.binding.top import closed, with_outputs
from headwater.algebra.expressions import all_of, call, references, substituted
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Join,
    JoinKind,
    Named,
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


def outputs_of_group(bound: Bound, query: exp.Expression) -> tuple[Named, ...]:
    """Behind a join with the groups: a row without one gets what there is for no rows."""
    used = frozenset(id for output in bound.outputs for id in references(output.value))
    empty: dict[ColumnId, Scalar] = {}
    for id, scalar in bound.when_empty.items():
        if id not in used:
            continue
        if scalar is None:
            raise refuse("this aggregate in a correlated sub-query", Reason.CORRELATION, query)
        empty[id] = scalar
    return tuple(Named(out.id, substituted(out.value, empty)) for out in bound.outputs)


def _tied(bound: Bound, query: exp.Expression, rows: Rows) -> tuple[Scalar, Rows]:
    if bound.one_row:
        joined = Join(JoinKind.LEFT, rows.node, bound.node, all_of(bound.conditions))
        return outputs_of_group(bound, query)[0].value, rows.over(joined)
    if not bound.at_most_one:
        raise refuse("a correlated sub-query without an aggregate", Reason.CORRELATION, query)
    joined = Join(JoinKind.LEFT, rows.node, with_outputs(bound), all_of(bound.conditions))
    return column(bound.outputs[0].id), rows.over(joined)


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
