"""Queries go to Spark as typed, but for what certainly is none."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.parse import parse
from headwater.sql.query import Query


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ')' AS a, \"(\" AS b FROM t",
        "SELECT 1 -- (",
        "SELECT /* ( */ 1",
        "SELECT 1 from",
        "SELECT *",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "VALUES (1), (2)",
    ],
)
def test_a_query_is_kept_as_typed(text: str) -> None:
    assert parse(text) == Query(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT (1 + (2)", "("),
        ("SELECT 1) FROM t", ")"),
        ("SELECT a FROM t WHERE b =", "="),
        ("SELECT a,", ","),
        ("SELECT a || ", "||"),
    ],
)
def test_what_cannot_be_a_query_is_told_without_spark(text: str, place: str) -> None:
    with pytest.raises(UserError) as found:
        parse(text)
    assert found.value.condition == "SYNTAX_ERROR"
    assert found.value.span is not None
    assert text[found.value.span.start : found.value.span.end].startswith(place)
