"""ORDER BY: positions and ALL become columns of the result, which stand without a relation."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.qualifying.grouping import at_position
from headwater.algebra.qualifying.scope import ColumnName


def qualify_order(
    query: exp.Query,
    columns: tuple[ColumnName, ...],
    resolved: Callable[[exp.Expression], exp.Expression],
) -> None:
    """Changes the clause in place."""
    order = query.args.get("order")
    if order is None:
        return
    outputs: list[exp.Expression] = [exp.column(column.printed, quoted=True) for column in columns]
    made: list[exp.Expression] = []
    for item in list(order.expressions):
        if isinstance(item.this, exp.Var) and item.this.name.upper() == "ALL":
            made += [_like(item, output) for output in outputs]
        elif isinstance(item.this, exp.Literal) and not item.this.is_string:
            made.append(_like(item, at_position(item.this, outputs)))
        else:
            made.append(_like(item, resolved(item.this.pop())))
    order.set("expressions", made)


def _like(item: exp.Ordered, value: exp.Expression) -> exp.Ordered:
    copy = exp.Ordered(this=value)
    copy.set("desc", item.args.get("desc"))
    copy.set("nulls_first", item.args.get("nulls_first"))
    return copy
