"""Spans of values: nothing lies outside of them, and widest gaps are left out first."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headwater.algebra.nodes import column
from headwater.algebra.render import text_of
from headwater.incremental.spans import MOST_SPANS, Spans, Value, spans_of, together

NUMBERS = st.lists(st.integers(-(10**6), 10**6), max_size=60)
DAYS = st.lists(st.dates(date(1990, 1, 1), date(2030, 1, 1)), max_size=60)
MOST = st.integers(1, 20)


def is_within(spans: Spans, value: Value) -> bool:
    return any(first <= value <= last for first, last in spans.spans)  # type: ignore[operator]


def is_sound(spans: Spans, most: int) -> bool:
    ascending = all(a[1] < b[0] for a, b in pairwise(spans.spans))  # type: ignore[operator]
    return ascending and len(spans.spans) <= most


@given(NUMBERS | DAYS, MOST)
def test_every_value_lies_in_one_of_few_spans(values: list[Value], most: int) -> None:
    found = spans_of(values, most=most)
    assert is_sound(found, most)
    assert all(is_within(found, value) for value in values)
    ends = {end for span in found.spans for end in span}
    assert ends <= set(values)


@given(st.lists(NUMBERS, min_size=1, max_size=4), MOST)
def test_spans_of_several_columns_hold_the_values_of_all(
    columns: list[list[int]], most: int
) -> None:
    found = together([spans_of(values) for values in columns], most=most)
    assert is_sound(found, most)
    assert all(is_within(found, value) for values in columns for value in values)


def test_the_widest_gaps_are_left_out() -> None:
    assert spans_of([9, 1, 2, 30, 8, 9], most=2).spans == ((1, 9), (30, 30))
    assert spans_of([1, 2, 3], most=5).spans == ((1, 3),)
    assert len(spans_of(range(0, 1000, 10)).spans) == MOST_SPANS
    assert spans_of([]).spans == ()


def test_the_share_of_a_range() -> None:
    found = spans_of([1, 10, 91, 100], most=2)
    assert found.share_of(1, 100) == 0.2
    assert found.share_of(101, 200) == 0.0
    days = [date(2026, 1, 1) + timedelta(days=day) for day in (0, 4)]
    assert spans_of(days, most=1).share_of(date(2026, 1, 1), date(2026, 1, 10)) == 0.5


def test_the_condition_in_spark_s_words() -> None:
    value = column("k")
    texts = (
        (spans_of([-3, 1, 2], most=2), False, "k = -3 OR (k >= 1 AND k <= 2)"),
        (spans_of([7]), True, "k = 7 OR k IS NULL"),
        (spans_of([]), False, "FALSE"),
        (spans_of([]), True, "k IS NULL"),
        (spans_of([date(2026, 1, 2)]), False, "k = CAST('2026-01-02' AS DATE)"),
    )
    for spans, or_null, words in texts:
        assert text_of(spans.condition(value, or_null=or_null)).replace("`", "") == words
