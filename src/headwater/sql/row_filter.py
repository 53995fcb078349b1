"""The WHERE of SHOW, evaluated over rows in Python: no Spark job for a list of tables.

The expression is parsed once and turned into nested functions; what is not in the small language
below is refused with the words of the construct, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from sqlglot import exp

from headwater.errors import NotSupported, Span, UserError, ValueRejected
from headwater.names import did_you_mean, show_identifier
from headwater.result import Column, Row
from headwater.sql.filter_functions import function_node
from headwater.sql.filter_nodes import (
    Node,
    arithmetic,
    both,
    comparison,
    condition,
    constant,
    converted,
    either,
    mismatch,
    negated,
    strict,
)
from headwater.sql.filter_parsing import (
    construct_name,
    parse_condition,
    place_of,
    string_value,
    unknown_part,
)
from headwater.sql.filter_values import Family, Value, family_of, instant
from headwater.sql.intervals import duration, duration_between, read_interval
from headwater.sql.like import like_matcher

RowFilter = Callable[[Row], bool]

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
}
_CASTS = {
    **dict.fromkeys(exp.DataType.TEXT_TYPES, Family.STRING),
    **dict.fromkeys(exp.DataType.NUMERIC_TYPES, Family.NUMBER),
    exp.DType.BOOLEAN: Family.BOOLEAN,
    exp.DType.DATE: Family.DATE,
    exp.DType.TIMESTAMP: Family.TIMESTAMP,
    exp.DType.TIMESTAMPTZ: Family.TIMESTAMP,
    exp.DType.TIMESTAMPLTZ: Family.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: Family.TIMESTAMP,
}


def compile_filter(
    expression_text: str,
    columns: Sequence[Column],
    *,
    now: datetime,
    offset: int = 0,
    any_case: Collection[str] = (),
) -> RowFilter:
    """A function that tells whether a row of these columns is kept.

    Args:
        expression_text: What stands after WHERE.
        columns: The columns of the rows, in order.
        now: What current_timestamp() gives. Its zone is the session's: naive timestamps, of rows
            and literals, are read in it (in UTC when it has none).
        offset: Where the expression starts in its statement; spans of errors are moved by it.
        any_case: Columns that hold names which are the same in any case.
    """
    compiler = _Compiler(expression_text, columns, now, offset, any_case)
    root = condition(compiler.node(parse_condition(expression_text, offset)), compiler.zone)
    return lambda row: root.evaluate(row) is True


class _Compiler:
    """Turns the parsed expression into nodes, from the leaves up."""

    def __init__(
        self,
        text: str,
        columns: Sequence[Column],
        now: datetime,
        offset: int,
        any_case: Collection[str],
    ) -> None:
        self.text = text
        self.any_case = any_case
        self.columns = columns
        self.places = {column.name.lower(): place for place, column in enumerate(columns)}
        self.zone = now.tzinfo or UTC
        self.now = instant(now, self.zone)
        self.offset = offset

    def node(self, e: exp.Expr) -> Node:
        """The node of an expression."""
        span = place_of(e, self.text, self.offset)
        part = unknown_part(e)
        if part:
            construct = f"{construct_name(e)} with {part}"
            raise NotSupported("FILTER_NOT_SUPPORTED", construct=construct, span=span)
        if type(e) in _COMPARISONS:
            left, right = self.node(e.this), self.node(e.expression)
            return comparison(_COMPARISONS[type(e)], left, right, zone=self.zone, span=span)
        match e:
            case exp.Paren():
                return self.node(e.this)
            case exp.Column():
                return self._column(e, span)
            case exp.And():
                return both([self._condition(part) for part in e.flatten()], span)
            case exp.Or():
                return either([self._condition(part) for part in e.flatten()], span)
            case exp.Not():
                return negated(self._condition(e.this), span)
            case exp.In() | exp.Between() | exp.Is() | exp.NullSafeNEQ():
                return _maybe_negated(e, self._membership(e, span))
            case exp.Escape() if isinstance(e.this, exp.Like | exp.ILike):
                return _maybe_negated(e.this, self._pattern(e.this, span, e.expression.name))
            case exp.Like() | exp.ILike() | exp.RegexpLike():
                return _maybe_negated(e, self._pattern(e, span))
            case exp.Add() | exp.Sub():
                symbol = "+" if isinstance(e, exp.Add) else "-"
                left, right = self.node(e.this), self.node(e.expression)
                return arithmetic(symbol, left, right, zone=self.zone, span=span)
            case exp.Neg():
                return self._negative(self.node(e.this), span)
            case exp.Cast():
                return self._cast(e, span)
        return self._leaf(e, span)

    def _leaf(self, e: exp.Expr, span: Span) -> Node:
        match e:
            case exp.Literal():
                if e.is_string:
                    return constant(Family.STRING, string_value(e, self.text), span)
                return constant(Family.NUMBER, _number(e.name), span)
            case exp.RawString():
                return constant(Family.STRING, e.name, span)
            case exp.Boolean():
                return constant(Family.BOOLEAN, bool(e.this), span)
            case exp.Null():
                return constant(Family.NULL, None, span)
            case exp.Interval():
                return self._interval(e, span)
            case exp.CurrentTimestamp() if not e.this:
                return constant(Family.TIMESTAMP, self.now, span)
            case exp.Anonymous() if e.name.lower() == "now" and not e.expressions:
                return constant(Family.TIMESTAMP, self.now, span)
            case exp.CurrentDate() if not e.this:
                return constant(Family.DATE, self.now.astimezone(self.zone).date(), span)
        found = function_node(e, self.node, zone=self.zone, span=span)
        if found is None:
            raise NotSupported("FILTER_NOT_SUPPORTED", construct=construct_name(e), span=span)
        return found

    def _condition(self, e: exp.Expr) -> Node:
        return condition(self.node(e), self.zone)

    def _column(self, e: exp.Column, span: Span) -> Node:
        name = ".".join(part.name for part in e.parts)
        place = self.places.get(name.lower())
        if place is None:
            names = [show_identifier(column.name) for column in self.columns]
            hint = did_you_mean(name, names)
            listed = ", ".join(names)
            raise UserError("COLUMN_NOT_FOUND", name=name, columns=listed, hint=hint, span=span)
        family = family_of(self.columns[place].type)
        if family is Family.TIMESTAMP:
            return Node(family, lambda row: self._moment(row[place]), span)
        any_case = self.columns[place].name in self.any_case
        return Node(family, lambda row: row[place], span, any_case=any_case)

    def _moment(self, value: Value) -> Value:
        return instant(value, self.zone) if isinstance(value, datetime) else value

    def _membership(self, e: exp.Expr, span: Span) -> Node:
        """IN, BETWEEN and IS, all of them short for comparisons."""

        def compare(symbol: str, other: exp.Expr) -> Node:
            return comparison(symbol, tested, self.node(other), zone=self.zone, span=span)

        tested = self.node(e.this)
        match e:
            case exp.In() if not e.args.get("query") and e.expressions:
                return either([compare("=", item) for item in e.expressions], span)
            case exp.Between():
                return both([compare(">=", e.args["low"]), compare("<=", e.args["high"])], span)
            case exp.Is() if isinstance(e.expression, exp.Boolean):
                return compare("<=>", e.expression)
            case exp.Is() if isinstance(e.expression, exp.Null):
                return Node(Family.BOOLEAN, lambda row: tested.evaluate(row) is None, span)
            case exp.NullSafeNEQ():
                return negated(compare("<=>", e.expression), span)
        construct = "IN with a subquery" if isinstance(e, exp.In) else construct_name(e)
        raise NotSupported("FILTER_NOT_SUPPORTED", construct=construct, span=span)

    def _pattern(self, e: exp.Expr, span: Span, escape: str = "\\") -> Node:
        operands = [
            converted(self.node(side), Family.STRING, self.zone) for side in (e.this, e.expression)
        ]
        pattern = operands[1]

        def matcher(text: str) -> Callable[[str], bool]:
            if not isinstance(e, exp.RegexpLike):
                return like_matcher(text, escape=escape, ignore_case=isinstance(e, exp.ILike))
            try:
                compiled = re.compile(text)
            except re.error:
                kind = "a regular expression"
                raise ValueRejected(
                    "FILTER_VALUE", value=text, type=kind, span=pattern.span
                ) from None
            return lambda value: compiled.search(value) is not None

        known = pattern.evaluate(()) if pattern.is_constant else None
        if isinstance(known, str):
            return strict(Family.BOOLEAN, matcher(known), operands[:1], span)
        return strict(Family.BOOLEAN, lambda value, text: matcher(text)(value), operands, span)

    def _negative(self, node: Node, span: Span) -> Node:
        if node.family not in (Family.NUMBER, Family.INTERVAL, Family.NULL):
            raise mismatch("-", Family.NUMBER, node.family, span)
        return strict(node.family, lambda value: -value, [node], span)

    def _cast(self, e: exp.Cast, span: Span) -> Node:
        family = _CASTS.get(e.to.this)
        if family is None:
            construct = f"a cast to {e.to.sql('spark')}"
            raise NotSupported("FILTER_NOT_SUPPORTED", construct=construct, span=span)
        node = converted(self.node(e.this), family, self.zone, is_safe=bool(e.args.get("safe")))
        if e.to.this in exp.DataType.INTEGER_TYPES:
            return strict(family, int, [node], span)
        return node

    def _interval(self, e: exp.Interval, span: Span) -> Node:
        unit = e.args.get("unit")
        amount = e.this.name if e.this else ""
        try:
            if isinstance(unit, exp.IntervalSpan):
                value = duration_between(amount, unit.this.name, unit.expression.name)
            else:
                value = duration(amount, unit.name) if unit else read_interval(amount)
        except (ValueError, OverflowError):
            construct = f"the interval {e.sql('spark')}"
            raise NotSupported("FILTER_NOT_SUPPORTED", construct=construct, span=span) from None
        return constant(Family.INTERVAL, value, span)


def _maybe_negated(e: exp.Expr, node: Node) -> Node:
    """Some operators keep their NOT inside."""
    return negated(node, node.span) if e.args.get("negate") else node


def _number(text: str) -> Value:
    if text.isdigit():
        return int(text)
    return float(text) if "e" in text.lower() else Decimal(text)
