"""Expressions on rows of Python values, NULL as None: SQL's three-valued logic in closures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from sqlglot import exp

Row = tuple[Any, ...]
Value = Callable[[Row], Any]

DAY_ZERO = date(2026, 1, 1)
"""Dates are days since then, so that they compare with the small numbers of the tables."""


def compiled(scalar: exp.Expression, ids: Sequence[str], today: int | None) -> Value:
    """The expression as a function of a row with these columns."""
    match scalar:
        case exp.Column():
            place = list(ids).index(scalar.name)
            return lambda row: row[place]
        case exp.Literal(is_string=True):
            return _constant(scalar.this)
        case exp.Literal():
            return _constant(int(scalar.this))
        case exp.Null():
            return _constant(None)
        case exp.Boolean():
            return _constant(bool(scalar.this))
        case exp.CurrentDate():
            assert today is not None, "a plan must not read the clock"
            return _constant(today)
        case exp.Paren():
            return compiled(scalar.this, ids, today)
        case exp.Cast() if scalar.to.sql() == "DATE":
            return _constant((date.fromisoformat(scalar.this.name) - DAY_ZERO).days)
        case exp.Cast():
            return compiled(scalar.this, ids, today)
    parts = [compiled(part, ids, today) for part in _parts(scalar)]
    return _operation(scalar, parts)


def _parts(scalar: exp.Expression) -> list[exp.Expression]:
    match scalar:
        case exp.Case():
            made = [part for when in scalar.args["ifs"] for part in (when.this, when.args["true"])]
            return [*made, scalar.args.get("default") or exp.null()]
        case exp.Coalesce() | exp.Least() | exp.Greatest():
            return [scalar.this, *scalar.expressions]
        case exp.Array() | exp.Anonymous():
            return list(scalar.expressions)
        case exp.Binary():
            return [scalar.this, scalar.expression]
        case exp.Unary():
            return [scalar.this]
    raise AssertionError(f"the engine of the laws does not know {scalar!r}")


_STRICT: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.EQ: lambda a, b: a == b,
    exp.NEQ: lambda a, b: a != b,
    exp.LT: lambda a, b: a < b,
    exp.LTE: lambda a, b: a <= b,
    exp.GT: lambda a, b: a > b,
    exp.GTE: lambda a, b: a >= b,
    exp.Add: lambda a, b: a + b,
    exp.Sub: lambda a, b: a - b,
    exp.Mul: lambda a, b: a * b,
    exp.BitwiseAnd: lambda a, b: a & b,
    exp.BitwiseOr: lambda a, b: a | b,
    exp.BitwiseXor: lambda a, b: a ^ b,
}


def _failing(words: Value) -> Value:
    def fail(row: Any) -> None:
        raise AssertionError(words(row))

    return fail


def _operation(scalar: exp.Expression, parts: list[Value]) -> Value:
    strict = _STRICT.get(type(scalar))
    if strict is not None:
        return _strict(strict, *parts)
    match scalar:
        case exp.And():
            return _and(*parts)
        case exp.Or():
            return _or(*parts)
        case exp.Not():
            return lambda row: None if (value := parts[0](row)) is None else not value
        case exp.Neg():
            return lambda row: None if (value := parts[0](row)) is None else -value
        case exp.Is():
            return lambda row: parts[0](row) is parts[1](row)
        case exp.NullSafeEQ():
            return lambda row: parts[0](row) == parts[1](row)
        case exp.Coalesce():
            return lambda row: next((v for p in parts if (v := p(row)) is not None), None)
        case exp.Least():
            return lambda row: min((v for p in parts if (v := p(row)) is not None), default=None)
        case exp.Greatest():
            return lambda row: max((v for p in parts if (v := p(row)) is not None), default=None)
        case exp.Array():
            return lambda row: tuple(part(row) for part in parts)
        case exp.Case():
            return _case(parts)
        case exp.Anonymous(this="raise_error"):
            return _failing(parts[0])
    raise AssertionError(f"the engine of the laws does not know {scalar!r}")


def _constant(value: Any) -> Value:
    return lambda row: value


def _strict(operation: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    def result(row: Row) -> Any:
        a = left(row)
        if a is None:
            return None
        b = right(row)
        return None if b is None else operation(a, b)

    return result


def _and(left: Value, right: Value) -> Value:
    def result(row: Row) -> Any:
        a, b = left(row), right(row)
        if a is False or b is False:
            return False
        return None if a is None or b is None else True

    return result


def _or(left: Value, right: Value) -> Value:
    def result(row: Row) -> Any:
        a, b = left(row), right(row)
        if a is True or b is True:
            return True
        return None if a is None or b is None else False

    return result


def _case(parts: list[Value]) -> Value:
    def result(row: Row) -> Any:
        for when, then in zip(parts[:-1:2], parts[1:-1:2], strict=True):
            if when(row) is True:
                return then(row)
        return parts[-1](row)

    return result
