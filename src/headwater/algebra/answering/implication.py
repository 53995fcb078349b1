"""Whether conditions that are true make another one true: `x < 2` makes `x < 3` so.

Law: where `implies` says yes, every row for which all of `known` are true has `wanted` true, not
false or NULL. No means that it cannot tell. Only literals of one kind are held against each other,
because a column of another type may be compared with each kind in a way of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from headwater.algebra.answering.normal import normal
from headwater.algebra.nodes import Scalar

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_WHOLE = 1 << 31
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_MIRRORED: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.EQ: exp.EQ,
}


@dataclass(frozen=True, slots=True)
class _Literal:
    """A literal that can be held against others of its kind; those of `text` have no order."""

    kind: str
    value: Decimal | str


@dataclass(frozen=True, slots=True)
class _Bound:
    """A comparison of something with a literal."""

    of: Scalar
    operator: type[exp.Expression]
    limit: _Literal


def implies(known: Sequence[Scalar], wanted: Scalar) -> bool:
    """Whether `wanted` follows."""
    facts = [fact for one in known for fact in _plain(normal(one))]
    return all(_follows(facts, part) for part in _plain(normal(wanted)))


def _plain(condition: Scalar) -> list[Scalar]:
    """A condition without AND and BETWEEN."""
    if isinstance(condition, exp.And):
        return [*_plain(condition.this), *_plain(condition.expression)]
    if isinstance(condition, exp.Between) and not condition.args.get("symmetric"):
        low, high, of = condition.args["low"], condition.args["high"], condition.this
        return [
            exp.GTE(this=of.copy(), expression=low.copy()),
            exp.LTE(this=of.copy(), expression=high.copy()),
        ]
    return [condition]


def _follows(facts: Sequence[Scalar], wanted: Scalar) -> bool:
    if wanted in facts:
        return True
    if isinstance(wanted, exp.Or):
        return _follows(facts, wanted.this) or _follows(facts, wanted.expression)
    if isinstance(wanted, exp.Not) and _is_null(wanted.this):
        return any(wanted.this.this in _never_null(fact) for fact in facts)
    return any(_makes_true(fact, wanted) for fact in facts)


def _is_null(condition: Scalar) -> bool:
    return isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null)


def _never_null(fact: Scalar) -> list[Scalar]:
    """What cannot be NULL where a condition is true."""
    if isinstance(fact, _COMPARISONS):
        return [fact.this, fact.expression]
    return [fact.this] if isinstance(fact, exp.In) else []


def _makes_true(fact: Scalar, wanted: Scalar) -> bool:
    """Whether one condition makes another one true."""
    if isinstance(fact, exp.In):
        cases = _cases(fact)
        return bool(cases) and all(_makes_true(case, wanted) for case in cases)
    if isinstance(wanted, exp.In):
        return any(_makes_true(fact, case) for case in _cases(wanted))
    ours, theirs = _bound(fact), _bound(wanted)
    if ours is None or theirs is None:
        return False
    same = ours.of == theirs.of and ours.limit.kind == theirs.limit.kind
    return same and _within(ours, theirs)


def _cases(condition: exp.In) -> list[Scalar]:
    """The equalities that IN stands for; none where it has no list of values."""
    return [
        exp.EQ(this=condition.this.copy(), expression=item.copy())
        for item in condition.args.get("expressions") or ()
    ]


def _bound(condition: Scalar) -> _Bound | None:
    if type(condition) not in _MIRRORED:
        return None
    right = _literal(condition.expression)
    if right is not None:
        return _Bound(condition.this, type(condition), right)
    left = _literal(condition.this)
    if left is None:
        return None
    return _Bound(condition.expression, _MIRRORED[type(condition)], left)


def _literal(value: Scalar) -> _Literal | None:
    if isinstance(value, exp.Neg):
        inner = _literal(value.this)
        negative = inner is not None and isinstance(inner.value, Decimal)
        return _Literal(inner.kind, -Decimal(inner.value)) if inner and negative else None
    if isinstance(value, exp.Cast) and value.to.is_type("date"):
        inner = _literal(value.this)
        return _Literal("date", inner.value) if inner and inner.kind == "day" else None
    if not isinstance(value, exp.Literal):
        return None
    if value.is_string:
        # Days in this form are in the same order as texts and as dates.
        return _Literal("day" if _DAY.fullmatch(value.name) else "text", value.name)
    if value.name.isdigit():
        return _Literal("whole", Decimal(value.name)) if int(value.name) < _MOST_WHOLE else None
    plain = re.fullmatch(r"\d*\.\d+", value.name)
    return _Literal("decimal", Decimal(value.name)) if plain else None


def _within(ours: _Bound, theirs: _Bound) -> bool:
    """Whether everything inside of one bound is inside of the other, of the same thing."""
    a, b = ours.limit.value, theirs.limit.value
    if theirs.operator is exp.EQ or ours.limit.kind == "text":
        return ours.operator is exp.EQ is theirs.operator and a == b
    upper = theirs.operator in (exp.LT, exp.LTE)
    if ours.operator is not exp.EQ and upper is not (ours.operator in (exp.LT, exp.LTE)):
        return False
    if a == b:
        # Only an open end that was not open before is lost.
        return theirs.operator in (exp.LTE, exp.GTE) or ours.operator is theirs.operator
    return (_less(a, b)) is upper


def _less(a: Decimal | str, b: Decimal | str) -> bool:
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return a < b
    return str(a) < str(b)
