"""Tokens keep their place in the text, and strings mean what Spark says they mean."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.names import quote_literal
from headwater.sql.tokens import tokenize


@given(st.text(max_size=60))
def test_every_token_is_a_piece_of_the_text_in_order(text: str) -> None:
    try:
        tokens = tokenize(text)
    except UserError:
        return
    place = 0
    for token in tokens:
        assert text[token.start : token.end] == token.text
        assert token.start >= place
        place = token.end


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_a_quoted_literal_reads_back_as_it_was(text: str) -> None:
    assert tokenize(quote_literal(text))[0].value == text


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r"'a\nb'", "a\nb"),
        ("'it''s'", "it's"),
        (r"'it\'s'", "it's"),
        (r"'100\%'", "100\\%"),
        ('"double"', "double"),
        (r"r'\n'", "\\n"),
        ("$$it's; \\n \"x\n$$", "it's; \\n \"x\n"),
        ("$$ 'a' || '' $ \\$$", " 'a' || '' $ \\"),
        ("$$$$", ""),
    ],
)
def test_strings_are_decoded_by_sparks_rules(literal: str, value: str) -> None:
    tokens = tokenize(literal)
    assert [t.value for t in tokens[:-1]] == [value]


@pytest.mark.parametrize(
    ("text", "opened_at"),
    [
        ("SELECT 'abc", 7),
        ("SELECT `abc", 7),
        ("SELECT 1 /* x", 9),
        ("AS $$ 'x' $", 3),
        ("a\n\n 'x' \"y", 8),
    ],
)
def test_an_unclosed_quote_is_pointed_at(text: str, opened_at: int) -> None:
    with pytest.raises(UserError, match="UNCLOSED_QUOTE") as caught:
        tokenize(text)
    assert caught.value.span is not None
    assert caught.value.span.start == opened_at


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT 1 /* x", "close it by */"),
        ("AS $$ x", "close it by $$"),
        ("SELECT 'x", "close it, or double it if it belongs to the text"),
    ],
)
def test_the_hint_says_how_that_quote_is_closed(text: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        tokenize(text)
    assert caught.value.hint == hint


@given(st.text(alphabet="$'\"`\\;- a\n"))
def test_a_text_between_dollars_is_one_token(text: str) -> None:
    assume("$$" not in text and not text.endswith("$"))
    tokens = tokenize(f"a $${text}$$ b")
    assert [(token.kind, token.value) for token in tokens[:-1]] == [
        ("word", "a"),
        ("string", text),
        ("word", "b"),
    ]


def test_numbers_with_a_suffix_are_one_token() -> None:
    assert [t.text for t in tokenize("1.5BD 2L 3.0D")[:-1]] == ["1.5BD", "2L", "3.0D"]
