"""DISTINCT, and ORDER BY with LIMIT or OFFSET."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.subquery import Binding, Bound
from headwater.algebra.expressions import references
from headwater.algebra.nodes import Aggregate, Named, Project, Scalar, TopK, column, columns_of
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


def _is_all(limit: exp.Expression) -> bool:
    value = limit.args.get("expression")
    return value is not None and value.name.upper() == "ALL" and not isinstance(value, exp.Literal)
