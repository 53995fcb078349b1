"""Where the values of a column lie: a few closed spans, found in the values themselves.

Law: every value that is not NULL lies in one of the spans; they ascend and do not meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from itertools import pairwise

from sqlglot import exp

from headwater.algebra.nodes import Scalar

Value = int | date
Span = tuple[Value, Value]

MOST_SPANS = 16
"""More of them let through less, and take longer to ask each row for."""


@dataclass(frozen=True, slots=True)
class Spans:
    """The first and the last value of each span; none at all if there is no value."""

    spans: tuple[Span, ...]

    def share_of(self, low: Value, high: Value) -> float:
        """How much of a range the spans cover, 0 to 1."""
        start, end = _place(low), _place(high)
        covered = sum(
            max(0, min(_place(last), end) - max(_place(first), start) + 1)
            for first, last in self.spans
        )
        return covered / (end - start + 1)

    def condition(self, value: Scalar, *, or_null: bool) -> Scalar:
        """That a value lies in one of the spans."""
        parts = [_within(value, first, last) for first, last in self.spans]
        if or_null:
            parts.append(exp.Is(this=value.copy(), expression=exp.null()))
        if not parts:
            return exp.false()
        return reduce(lambda one, other: exp.Or(this=one, expression=other), parts)


def spans_of(values: Iterable[Value], *, most: int = MOST_SPANS) -> Spans:
    """The spans of values, parted at the widest gaps between them."""
    return _parted([(value, value) for value in sorted(set(values), key=_place)], most)


def together(found: Sequence[Spans], *, most: int = MOST_SPANS) -> Spans:
    """The spans of the values of several columns."""
    merged: list[Span] = []
    spans = (span for one in found for span in one.spans)
    for first, last in sorted(spans, key=lambda span: _place(span[0])):
        if merged and _place(first) <= _place(merged[-1][1]):
            merged[-1] = (merged[-1][0], max(last, merged[-1][1], key=_place))
        else:
            merged.append((first, last))
    return _parted(merged, most)


def _parted(spans: Sequence[Span], most: int) -> Spans:
    """At most so many spans around these, which ascend."""
    if not spans:
        return Spans(())
    gaps = [
        (_place(after[0]) - _place(before[1]), place)
        for place, (before, after) in enumerate(pairwise(spans), start=1)
    ]
    widest = sorted(gaps, reverse=True)[: most - 1]
    # Neighbours need no gap between them.
    breaks = sorted(place for gap, place in widest if gap > 1)
    starts, ends = [0, *breaks], [*breaks, len(spans)]
    return Spans(tuple((spans[a][0], spans[b - 1][1]) for a, b in zip(starts, ends, strict=True)))


def _place(value: Value) -> int:
    return value if isinstance(value, int) else value.toordinal()


def _within(value: Scalar, first: Value, last: Value) -> Scalar:
    if first == last:
        return exp.EQ(this=value.copy(), expression=_literal(first))
    least = exp.GTE(this=value.copy(), expression=_literal(first))
    return exp.Paren(
        this=exp.And(this=least, expression=exp.LTE(this=value.copy(), expression=_literal(last)))
    )


def _literal(value: Value) -> Scalar:
    if isinstance(value, date):
        text = exp.Literal.string(value.isoformat())
        return exp.Cast(this=text, to=exp.DataType.build("date"))
    number = exp.Literal.number(abs(value))
    return exp.Neg(this=number) if value < 0 else number
