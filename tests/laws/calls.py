"""Aggregate and window functions on rows of Python values.

Every value is a whole number, so that any may stand anywhere: an average is scaled up and cut off,
and what collect_list gives is folded into one number. A law asks no more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from sqlglot import exp

from tests.laws.scalars import Row, Value, compiled

Call = Callable[[Sequence[Row]], Any]
"""Of the rows of a group, each as often as it is there."""


def aggregate_call(scalar: exp.Expression, ids: Sequence[str], today: int | None) -> Call:
    """An aggregate function, with DISTINCT and FILTER (WHERE ..)."""
    if isinstance(scalar, exp.Filter):
        call = aggregate_call(scalar.this, ids, today)
        where = compiled(scalar.expression.this, ids, today)
        return lambda rows: call([row for row in rows if where(row) is True])
    if isinstance(scalar, exp.Count) and isinstance(scalar.this, exp.Star):
        return len
    distinct = isinstance(scalar.this, exp.Distinct)
    items = scalar.this.expressions if distinct else [scalar.this]
    values = [compiled(item, ids, today) for item in items]
    fold = _fold(scalar)

    def result(rows: Sequence[Row]) -> Any:
        found = _given(rows, values)
        return fold(sorted(set(found)) if distinct else found)

    return result


def _given(rows: Sequence[Row], values: list[Value]) -> list[Any]:
    """The values that are not NULL; of several together only where none is."""
    if len(values) == 1:
        value = values[0]
        return [found for row in rows if (found := value(row)) is not None]
    tuples = (tuple(value(row) for value in values) for row in rows)
    return [found for found in tuples if None not in found]


def _fold(scalar: exp.Expression) -> Callable[[list[Any]], Any]:
    match scalar:
        case exp.Count():
            return len
        case exp.CountIf():
            return lambda values: values.count(True)
        case exp.Sum():
            return lambda values: sum(values) if values else None
        case exp.Min():
            return lambda values: min(values, default=None)
        case exp.Max():
            return lambda values: max(values, default=None)
        case exp.Avg():
            return lambda values: 60 * sum(values) // len(values) if values else None
        case exp.LogicalAnd():
            return lambda values: all(values) if values else None
        case exp.LogicalOr():
            return lambda values: any(values) if values else None
        case exp.BitwiseXorAgg():
            return lambda values: reduce(lambda a, b: a ^ b, values) if values else None
        case exp.BitwiseOrAgg():
            return lambda values: reduce(lambda a, b: a | b, values) if values else None
        case exp.BitwiseAndAgg():
            return lambda values: reduce(lambda a, b: a & b, values) if values else None
        case exp.ArrayAgg():
            return lambda values: reduce(lambda made, value: 7 * made + value, sorted(values), 1)
    raise AssertionError(f"the engine of the laws does not know {scalar!r}")


def order_of(ordered: Sequence[exp.Expression], ids: Sequence[str], today: int | None) -> Value:
    """What to sort by: NULLs first, and last when descending; equal ones by the whole row."""
    terms = [(compiled(term.this, ids, today), bool(term.args.get("desc"))) for term in ordered]

    def key(row: Row) -> Any:
        found = [(value(row), falling) for value, falling in terms]
        return tuple(
            (value is not None, value or 0) if not falling else (value is None, -(value or 0))
            for value, falling in found
        )

    return key


def whole(row: Row) -> Any:
    """A row as something that can be sorted."""
    return tuple((value is not None, value if value is not None else 0) for value in row)


def window_call(
    scalar: exp.Expression, ids: Sequence[str], today: int | None
) -> Callable[[Sequence[Row]], list[Any]]:
    """A window function: a value for each row of a partition, which comes in the whole row's order.

    With an order a sum runs up to the last row that is equal in it, as in SQL.
    """
    ordered = scalar.args["order"].expressions if scalar.args.get("order") else []
    key = order_of(ordered, ids, today)
    ranking = isinstance(scalar.this, exp.RowNumber | exp.Rank | exp.DenseRank)
    call = None if ranking else aggregate_call(scalar.this, ids, today)

    def values(rows: Sequence[Row]) -> list[Any]:
        places = sorted(range(len(rows)), key=lambda place: key(rows[place]))
        keys = [key(rows[place]) for place in places]
        found: dict[int, Any] = {}
        for number, place in enumerate(places):
            if call is not None:
                equal = len(keys) - keys[::-1].index(keys[number])
                found[place] = call([rows[other] for other in places[:equal]])
            elif isinstance(scalar.this, exp.RowNumber):
                found[place] = number + 1
            elif isinstance(scalar.this, exp.Rank):
                found[place] = keys.index(keys[number]) + 1
            else:
                found[place] = len(set(keys[: number + 1]))
        return [found[place] for place in range(len(rows))]

    return values
