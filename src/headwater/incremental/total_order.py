"""Orders without ties, so that the same rows are chosen whenever a query is worked out.

Law: the rows of the new tree are one of the right answers of the old one, and always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.nodes import (
    ColumnId,
    Named,
    Node,
    Scalar,
    TopK,
    Types,
    Window,
    column,
    columns_of,
)
from headwater.algebra.walk import transform

# They count or look at rows one by one. Others, such as rank or a running sum, take rows that are
# equal in the order together, and would say something else in a longer order.
_BY_ROW = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue)
_WITHOUT_ORDER = ("map", "variant", "void", "geo")


def with_total_order(tree: Node, types: Types) -> Node:
    """The tree whose windows and limits go on to order by all other columns of their input."""

    def settle(node: Node) -> Node:
        match node:
            case Window(input=inner, partition=partition, calls=calls):
                ids = [id for id in columns_of(inner) if id not in partition]
                settled = tuple(Named(call.id, _settled(call.value, ids, types)) for call in calls)
                return replace(node, calls=settled)
            case TopK(input=inner, order=order, limit=limit) if limit is not None:
                return replace(node, order=(*order, *_more(order, columns_of(inner), types)))
        return node

    return transform(tree, settle)


def _settled(call: Scalar, ids: list[ColumnId], types: Types) -> Scalar:
    order = call.args.get("order")
    if order is None or not (isinstance(call.this, _BY_ROW) or _counts_rows(call)):
        return call
    longer = call.copy()
    longer.args["order"].set(
        "expressions", [*longer.args["order"].expressions, *_more(order.expressions, ids, types)]
    )
    return longer


def _counts_rows(call: Scalar) -> bool:
    spec = call.args.get("spec")
    return spec is not None and str(spec.args.get("kind", "")).upper() == "ROWS"


def _more(order: Sequence[Scalar], ids: Sequence[ColumnId], types: Types) -> list[Scalar]:
    """The columns that are not ordered by as they are, and can be."""
    there = {term.this.name for term in order if isinstance(term.this, exp.Column)}
    return [
        exp.Ordered(this=column(id), nulls_first=True)
        for id in ids
        if id not in there and id in types and not _cannot_be_ordered(types[id].type)
    ]


def _cannot_be_ordered(type: str) -> bool:
    return any(word in type for word in _WITHOUT_ORDER)
