"""DISTINCT, and ORDER BY with LIMIT or OFFSET."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.binding.correlation import split_tie
from headwater.algebra.binding.rows import Rows, as_columns
from headwater.algebra.binding.subquery import Binding, Bound
from headwater.algebra.expressions import references
from headwater.algebra.nodes import (
    Aggregate,
    Named,
    Node,
    Project,
    Scalar,
    TopK,
    Window,
    column,
    columns_of,
)
from headwater.algebra.refusal import Reason, refuse


def has_limit(query: exp.Expression) -> bool:
    """Whether a query takes only some of its rows."""
    limit = query.args.get("limit")
    some = limit is not None and not _is_all(limit)
    return some or query.args.get("offset") is not None


def bind_distinct(
    binding: Binding, query: exp.Expression, bound: Bound, order: list[tuple[Scalar, int]]
) -> Bound:
    """Each row once; then the first ones in an order of columns given by their positions."""
    node = Project(bound.node, closed(bound))
    ids = tuple(output.id for output in bound.outputs)
    rows = Bound(Aggregate(node, ids), tuple(Named(id, column(id)) for id in ids), bound.conditions)
    if bound.conditions:
        raise refuse("DISTINCT in a correlated sub-query", Reason.CORRELATION, query)
    if not has_limit(query):
        return rows
    return bind_top(query, rows, [_ordered(item, ids[at]) for item, at in order])


def bind_top(query: exp.Expression, bound: Bound, order: list[Scalar]) -> Bound:
    """The first rows in an order."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if limit is not None and not isinstance(limit, exp.Limit):
        raise refuse("FETCH", Reason.SYNTAX_UNKNOWN, query)
    node = TopK(
        bound.node,
        tuple(order),
        None if limit is None or _is_all(limit) else limit.expression.copy(),
        None if offset is None else offset.expression.copy(),
    )
    return Bound(node, closed(bound))


def bind_top_of_each(
    binding: Binding, query: exp.Expression, bound: Bound, rows: Rows, order: list[Scalar]
) -> Bound:
    """The first rows, in an order, of those that belong to one row outside."""
    limit, offset = _number(query, "limit"), _number(query, "offset")
    if not order:
        raise refuse("LIMIT without ORDER BY in a correlated sub-query", Reason.CORRELATION, query)
    if limit is None or offset is None:
        raise refuse("such a LIMIT in a correlated sub-query", Reason.CORRELATION, query)
    inner = [side for side, _ in (split_tie(tie, rows) for tie in bound.conditions) if side]
    keys, rows = as_columns(binding.ids, inner, rows, name="tie")
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(key) for key in keys],
        order=exp.Order(expressions=[part.copy() for part in order]),
    )
    place = binding.ids.named("row_number", number)
    rows = rows.over(Window(rows.node, tuple(dict.fromkeys(keys)), (place,)))
    last = exp.Literal.number(offset + limit)
    rows = rows.filtered([exp.LTE(this=column(place.id), expression=last)])
    if offset:
        before = exp.Literal.number(offset)
        rows = rows.filtered([exp.GT(this=column(place.id), expression=before)])
    return replace(bound, node=rows.node, at_most_one=limit == 1)


def with_outputs(bound: Bound) -> Node:
    """The rows with the outputs as columns, which may not come from outside at this place."""
    kept = tuple(Named(id, column(id)) for id in columns_of(bound.node))
    return Project(bound.node, (*kept, *closed(bound)))


def closed(bound: Bound) -> tuple[Named, ...]:
    """The outputs, which may not come from outside at this place."""
    inner = frozenset(columns_of(bound.node))
    for output in bound.outputs:
        if references(output.value) - inner:
            raise refuse("a column of the query outside", Reason.CORRELATION)
    return bound.outputs


def _ordered(item: Scalar, id: str) -> Scalar:
    copy = item.copy()
    copy.set("this", column(id))
    return copy


def _number(query: exp.Expression, key: str) -> int | None:
    """The number behind LIMIT or OFFSET, 0 for no OFFSET; None for anything else."""
    clause = query.args.get(key)
    if clause is None:
        return 0 if key == "offset" else None
    value = clause.args.get("expression")
    return int(value.name) if isinstance(value, exp.Literal) and value.name.isdigit() else None


def _is_all(limit: exp.Expression) -> bool:
    value = limit.args.get("expression")
    return value is not None and value.name.upper() == "ALL" and not isinstance(value, exp.Literal)
