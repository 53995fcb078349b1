"""Pieces of a compiled filter: a function from a row to a value, with the kind of that value.

Law: NULL is `None`; AND, OR and NOT follow SQL's three-valued logic, and every other operation is
NULL as soon as one operand is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from decimal import Decimal
from typing import Any

from headwater.errors import Span, UserError, ValueRejected
from headwater.result import Row
from headwater.sql.filter_values import Family, Value, comparable, conversion

Evaluate = Callable[[Row], Value]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Node:
    """A value computed from a row; `span` is its place in the statement.

    One in `any_case` is a name that equals another one whatever their case.
    """

    family: Family
    evaluate: Evaluate
    span: Span
    is_constant: bool = False
    any_case: bool = False


def constant(family: Family, value: Value, span: Span) -> Node:
    """A node that is the same for every row."""
    return Node(family, lambda _: value, span, is_constant=True)


def converted(node: Node, family: Family, zone: tzinfo, *, is_safe: bool = False) -> Node:
    """`node` read as another kind; what cannot be read is an error, or NULL if `is_safe`."""
    convert = conversion(node.family, family, zone)
    if convert is None:
        raise mismatch("a cast", node.family, family, node.span)

    def read(value: Value) -> Value:
        try:
            return None if value is None else convert(value)
        except (ValueError, OverflowError):
            if is_safe:
                return None
            raise ValueRejected("FILTER_VALUE", value=value, type=family, span=node.span) from None

    if node.is_constant:
        return constant(family, read(node.evaluate(())), node.span)
    return Node(family, lambda row: read(node.evaluate(row)), node.span)


def mismatch(operation: str, left: Family, right: Family, span: Span) -> UserError:
    """The error that an operation does not take these kinds of values."""
    return UserError("FILTER_TYPES", operation=operation, left=left, right=right, span=span)


def condition(node: Node, zone: tzinfo) -> Node:
    """`node` as an operand of AND, OR, NOT, or as the whole filter."""
    if node.family in (Family.BOOLEAN, Family.NULL):
        return node
    if node.family is Family.STRING and node.is_constant:
        return converted(node, Family.BOOLEAN, zone)
    raise UserError("FILTER_NOT_BOOLEAN", type=node.family, span=node.span)


def both(nodes: Sequence[Node], span: Span) -> Node:
    """AND: false if one is false, else NULL if one is NULL."""

    def evaluate(row: Row) -> Value:
        found: Value = True
        for node in nodes:
            value = node.evaluate(row)
            if value is False:
                return False
            found = None if value is None else found
        return found

    return Node(Family.BOOLEAN, evaluate, span)


def negated(node: Node, span: Span) -> Node:
    """NOT: NULL stays NULL."""

    def evaluate(row: Row) -> Value:
        value = node.evaluate(row)
        return None if value is None else not value

    return Node(Family.BOOLEAN, evaluate, span)


def either(nodes: Sequence[Node], span: Span) -> Node:
    """OR, by the law that it is NOT (NOT a AND NOT b)."""
    return negated(both([negated(node, node.span) for node in nodes], span), span)


def strict(
    family: Family, apply: Callable[..., Value], arguments: Sequence[Node], span: Span
) -> Node:
    """A function of values that is NULL when one of them is."""
    is_constant = all(argument.is_constant for argument in arguments)

    def evaluate(row: Row) -> Value:
        values = [argument.evaluate(row) for argument in arguments]
        if any(value is None for value in values):
            return None
        try:
            return apply(*values)
        except OverflowError:
            raise ValueRejected("FILTER_OVERFLOW", span=span) from None

    if is_constant:
        return constant(family, evaluate(()), span)
    return Node(family, evaluate, span)


def comparison(symbol: str, left: Node, right: Node, *, zone: tzinfo, span: Span) -> Node:
    """One of = <> < <= > >=, or <=> which takes NULL as a value like any other."""
    family = comparable(left.family, right.family)
    if family is None:
        raise mismatch(symbol, left.family, right.family, span)
    any_case = family is Family.STRING and (left.any_case or right.any_case)
    left, right = converted(left, family, zone), converted(right, family, zone)
    if any_case:
        left, right = _folded(left), _folded(right)
    if symbol == "<=>":
        return Node(Family.BOOLEAN, lambda row: left.evaluate(row) == right.evaluate(row), span)
    return strict(Family.BOOLEAN, COMPARISONS[symbol], [left, right], span)


def _folded(node: Node) -> Node:
    def fold(row: Row) -> Value:
        value = node.evaluate(row)
        return value.upper() if isinstance(value, str) else value

    return Node(node.family, fold, node.span)


def arithmetic(symbol: str, left: Node, right: Node, *, zone: tzinfo, span: Span) -> Node:
    """Plus or minus of numbers, dates, timestamps and intervals."""
    kinds = _operands(left.family, right.family, is_plus=symbol == "+")
    if kinds is None:
        raise mismatch(symbol, left.family, right.family, span)
    left_family, right_family, family = kinds
    operands = [converted(left, left_family, zone), converted(right, right_family, zone)]
    apply = _plus if symbol == "+" else _minus
    return strict(family, apply, operands, span)


def _operands(
    left: Family, right: Family, *, is_plus: bool
) -> tuple[Family, Family, Family] | None:
    """What both sides are read as, and the kind of the result."""
    string, number, day = Family.STRING, Family.NUMBER, Family.DATE
    moment, interval = Family.TIMESTAMP, Family.INTERVAL
    if Family.NULL in (left, right):
        return left, right, Family.NULL
    if left in (number, string) and right in (number, string):
        return number, number, number
    if right is interval and left in (moment, day, string):
        return moment, interval, moment
    if left is right is interval:
        return interval, interval, interval
    if left is day and right is number:
        return day, number, day
    if is_plus and (left is interval or (left is number and right is day)):
        swapped = _operands(right, left, is_plus=True)
        return (swapped[1], swapped[0], swapped[2]) if swapped else None
    times = (moment, day, string)
    if not is_plus and left in times and right in times and string not in (left, right):
        return moment, moment, interval
    return None


def _plus(left: Any, right: Any) -> Value:
    if isinstance(left, int | float | Decimal) and type(right) is date:
        return _plus(right, left)
    left, right = _matched(left, right)
    total: Value = left + right
    return total


def _minus(left: Any, right: Any) -> Value:
    left, right = _matched(left, right)
    difference: Value = left - right
    return difference


def _matched(left: Any, right: Any) -> tuple[Any, Any]:
    """Operands Python can add: days for a date, and no decimal beside a float."""
    if type(left) is date and isinstance(right, int | Decimal):
        return left, timedelta(days=int(right))
    if {float, Decimal} == {type(left), type(right)}:
        return float(left), float(right)
    return left, right
