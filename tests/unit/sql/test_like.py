"""LIKE patterns against a slow definition of what they mean."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sql.like import like_matcher


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("", "", True),
        ("", "a", False),
        ("%", "", True),
        ("sales%", "SALES_summary", True),
        ("sales_", "sales", False),
        ("a%b", "a\nb", True),
        ("%.csv", "x.csv.gz", False),
        (r"100\%", "100%", True),
        (r"100\%", "100x", False),
        (r"a\_b", "axb", False),
        (r"a\\b", r"a\b", True),
        ("a\\", "a\\", True),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
    ],
)
def test_patterns_mean_what_sql_says(pattern: str, text: str, matches: bool) -> None:
    assert like_matcher(pattern)(text) is matches


def test_case_counts_only_when_asked_to() -> None:
    assert like_matcher("ABC")("abc")
    assert not like_matcher("ABC", ignore_case=False)("abc")


def test_another_escape_character_can_be_chosen() -> None:
    assert like_matcher("a#%", escape="#")("a%")
    assert not like_matcher("a#%", escape="#")("ab")


def test_many_percent_signs_do_not_take_exponential_time() -> None:
    started = time.perf_counter()
    assert not like_matcher("%a" * 30 + "%b")("a" * 3000)
    assert time.perf_counter() - started < 1


def _slow(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(_slow(pattern[1:], text[skip:]) for skip in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and _slow(pattern[1:], text[1:])


@given(st.text("ab%_", max_size=6), st.text("ab", max_size=6))
def test_matching_agrees_with_the_slow_definition(pattern: str, text: str) -> None:
    assert like_matcher(pattern)(text) is _slow(pattern, text)
