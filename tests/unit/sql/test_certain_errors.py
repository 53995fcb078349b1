"""A query that is wrong for certain is told without Spark; none that may be right is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.broken_queries import BROKEN, STRANGE
from tests.corpus import documents, scripts

from headwater.errors import UserError
from headwater.sql.certain_errors import certain_error
from headwater.sql.split import split
from headwater.sql.tokens import tokenize

_AS_QUERY = re.compile(r"\bAS\s+((?:SELECT|WITH|FROM)\b)", re.IGNORECASE)


def error_of(text: str) -> UserError | None:
    return certain_error(text, tokenize(text))


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_wrong_for_certain_is_told(text: str) -> None:
    found = error_of(text)
    assert found is not None
    assert found.condition == "SYNTAX_ERROR"
    assert found.parameters["problem"] == BROKEN[text]
    assert found.span is not None


@pytest.mark.parametrize("text", STRANGE)
def test_what_spark_may_take_is_left_to_spark(text: str) -> None:
    assert error_of(text) is None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT a FORM t", "did you mean FROM?"),
        ("SELECT a FROM t WEHRE b = 1", "did you mean WHERE?"),
        ("SELECT a FROM t GRUOP BY a", "did you mean GROUP BY?"),
        ("SELECT a FROM t ODER BY a", "did you mean ORDER BY?"),
    ],
)
def test_a_misspelt_clause_is_named(text: str, hint: str) -> None:
    found = error_of(text)
    assert found is not None
    assert found.hint == hint


def test_relations_of_our_own_are_not_read_as_spark_s() -> None:
    assert error_of("SELECT * FROM VOLUME v USING CSV FILES ('a.csv') x WHERE a = 1") is None
    assert error_of("SELECT name FROM (SHOW TABLES IN s LIKE 'x') t WHERE a") is None
    assert error_of("SELECT * FROM VOLUME v USING CSV FORM x") is not None


def queries_of(statement: str) -> Iterator[str]:
    """A statement, and what stands behind its first AS, as in CREATE VIEW."""
    yield statement
    found = _AS_QUERY.search(statement)
    if found is not None:
        yield statement[found.start(1) :]


def test_no_query_of_the_corpus_is_refused() -> None:
    looked_at = 0
    for script in (*scripts(), *documents()):
        for statement in split(script):
            for text in queries_of(statement.text):
                looked_at += text.upper().startswith(("SELECT", "WITH", "FROM", "INSERT"))
                found = error_of(text)
                assert found is None, f"{found}\n{text}"
    assert looked_at > 1000
