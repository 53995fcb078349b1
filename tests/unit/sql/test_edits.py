"""Edits replace by position, and places in the edited text lead back to the text as typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import Span
from headwater.sql.edits import Edit, apply_edits


def test_everything_outside_the_edits_stays() -> None:
    edited = apply_edits("SELECT a FROM v x", [Edit(Span(14, 15), "(SELECT 1)")])
    assert edited.text == "SELECT a FROM (SELECT 1) x"


def test_an_empty_span_inserts() -> None:
    assert apply_edits("INSERT VALUES", [Edit(Span(6, 6), " (a)")]).text == "INSERT (a) VALUES"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [Edit(Span(0, 3), "x"), Edit(Span(2, 4), "y")])


def test_a_place_inside_a_replacement_means_what_was_replaced() -> None:
    edited = apply_edits("FROM view WHERE x", [Edit(Span(5, 9), "(SELECT nope FROM t)")])
    start = edited.text.index("nope")
    assert edited.original_span(start, start + 4) == Span(5, 9)


@given(
    st.text(alphabet="abc ", min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text("XYZ", max_size=6))),
)
def test_untouched_characters_find_their_way_back(
    text: str, pieces: list[tuple[int, int, str]]
) -> None:
    edits: list[Edit] = []
    place = 0
    for start, length, new in sorted(pieces):
        if start < place or start + length > len(text):
            continue
        edits.append(Edit(Span(start, start + length), new))
        place = start + length + 1
    edited = apply_edits(text, edits)
    touched = {i for e in edits for i in range(e.span.start, e.span.end)}
    new_place = 0
    untouched = [i for i in range(len(text)) if i not in touched]
    for i in untouched:
        inserted = sum(len(e.text) for e in edits if e.span.end <= i and e.span.start <= i)
        removed = sum(e.span.end - e.span.start for e in edits if e.span.end <= i)
        new_place = i + inserted - removed
        assert edited.text[new_place] == text[i]
        assert edited.original_span(new_place, new_place + 1) == Span(i, i + 1)
