"""Words that no statement starts with: the error says what to write instead."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.parse import parse


def hint_of(text: str) -> str:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert caught.value.condition == "UNKNOWN_STATEMENT"
    assert caught.value.span is not None
    return caught.value.hint or ""


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELCT 1", "did you mean SELECT?"),
        ("CREATE TABEL x (a INT)", "did you mean CREATE TABLE?"),
        ("SHOW JOB", "did you mean SHOW JOBS?"),
        ("1 + 1", "to work an expression out, write SELECT before it"),
    ],
)
def test_the_nearest_statement_is_suggested(text: str, hint: str) -> None:
    assert hint_of(text) == hint


def test_where_none_is_near_all_first_words_are_listed() -> None:
    words = hint_of("frobnicate t").removeprefix("statements start with ").split(", ")
    assert words == sorted(words)
    assert {"CREATE", "SELECT", "SHOW", "REFRESH"} <= set(words)


@pytest.mark.parametrize(
    "word", ["BEGIN", "START TRANSACTION", "commit", "ROLLBACK", "SAVEPOINT a"]
)
def test_transactions_are_said_not_to_be_there(word: str) -> None:
    assert "every statement commits by itself" in hint_of(word)
