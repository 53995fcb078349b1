"""AVG as SUM over COUNT, which can be kept current by adding, where that gives the same digits.

Law: avg(x) = sum(x) / count(x). Of a decimal(p, s) Spark rounds the quotient once, to s + 4 digits;
here it is rounded first to 28 - p + s digits. Both give the same for p <= 15 and fewer than half a
thousand million rows in a group: no quotient with so small a divisor is nearer to a tie than that.
Of whole numbers up to INT both divide the exact sum, as long as it is below 2^53.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Named,
    Node,
    Project,
    Query,
    Scalar,
    Types,
    column,
    columns_of,
)
from headwater.algebra.walk import transform

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_MOST_DIGITS = 15
_WHOLE = ("tinyint", "smallint", "int")


def split_averages(query: Query, types: Types) -> Query:
    """The query with every average that can be split."""
    return replace(query, tree=transform(query.tree, lambda node: _split(node, types)))


def _split(node: Node, types: Types) -> Node:
    if not isinstance(node, Aggregate):
        return node
    calls: list[Named] = []
    values: dict[ColumnId, Scalar] = {}
    for call in node.calls:
        quotient = _quotient(call, types)
        if quotient is None:
            calls.append(call)
            continue
        total, number, value = quotient
        calls += [total, number]
        values[call.id] = value
    if not values:
        return node
    outputs = tuple(Named(id, values.get(id, column(id))) for id in columns_of(node))
    return Project(replace(node, calls=tuple(calls)), outputs)


def _quotient(call: Named, types: Types) -> tuple[Named, Named, Scalar] | None:
    """The sum, the count and their quotient with the type of the average."""
    average, wrap = _unwrapped(call.value)
    if not isinstance(average, exp.Avg) or not isinstance(average.this, exp.Column):
        return None
    given, result = types.get(average.this.name), types.get(call.id)
    if given is None or result is None:
        return None
    decimal = _DECIMAL.fullmatch(given.type)
    if given.type not in _WHOLE and (decimal is None or int(decimal[1]) > _MOST_DIGITS):
        return None
    total = Named(f"{call.id}#sum", wrap(exp.Sum(this=average.this.copy())))
    number = Named(f"{call.id}#count", wrap(exp.Count(this=average.this.copy())))
    summed: Scalar = column(total.id)
    if decimal is None:
        summed = _cast(summed, "double")
    nought = exp.Literal.number(0)
    divisor = exp.Nullif(this=column(number.id), expression=nought)
    return total, number, _cast(exp.Div(this=summed, expression=divisor), result.type)


def _unwrapped(value: Scalar) -> tuple[Scalar, Callable[[Scalar], Scalar]]:
    """A call without its FILTER (WHERE ..), and what puts another behind the same one."""
    if not isinstance(value, exp.Filter):
        return value, lambda made: made
    where = value.expression
    return value.this, lambda made: exp.Filter(this=made, expression=where.copy())


def _cast(value: Scalar, type: str) -> Scalar:
    return exp.Cast(this=value, to=exp.DataType.build(type, dialect="spark"))
