"""GROUP BY: positions, aliases and ALL become the expressions they stand for."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.functions import has_aggregate
from headwater.algebra.refusal import Reason, refuse

Resolved = Callable[[exp.Expression], exp.Expression]
_NESTED = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)


def qualify_group(select: exp.Select, values: list[exp.Expression], resolved: Resolved) -> None:
    """Changes the clause in place; `values` are the resolved expressions of the SELECT list."""
    group = select.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        keys = [value.copy() for value in values if not has_aggregate(value)]
        group.set("all", None)
        group.set("expressions", keys)
        if not keys:
            select.set("group", None)
        return
    for key in ("expressions", "rollup", "cube", "grouping_sets"):
        items = group.args.get(key)
        if items:
            group.set(key, [_item(item.pop(), values, resolved) for item in list(items)])


def _item(item: exp.Expression, values: list[exp.Expression], resolved: Resolved) -> exp.Expression:
    if isinstance(item, _NESTED):
        made = [_item(child.pop(), values, resolved) for child in list(item.expressions)]
        item.set("expressions", made)
        return item
    if isinstance(item, exp.Paren):
        item.set("this", _item(item.this.pop(), values, resolved))
        return item
    if isinstance(item, exp.Literal) and not item.is_string:
        return at_position(item, values)
    return resolved(item)


def at_position(item: exp.Literal, values: list[exp.Expression]) -> exp.Expression:
    """The expression that a number stands for, counted from 1."""
    if not item.name.isdigit() or not 1 <= int(item.name) <= len(values):
        raise refuse(f"position {item.name}", Reason.NAME_UNKNOWN, item)
    return values[int(item.name) - 1].copy()
