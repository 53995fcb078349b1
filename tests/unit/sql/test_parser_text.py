"""Texts for Spark's parser, with names where relations of our own stand."""

from __future__ import annotations

import pytest

from headwater.errors import Span
from headwater.sql.parser_text import parser_text


def text_of(query: str) -> str | None:
    found = parser_text(query, Span(0, len(query)), {"dt.args.d": "it's"})
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT a FROM w.s.t x", "SELECT a FROM w.s.t x"),
        ("SELECT CAST(a AS VARCHAR) FROM t", "SELECT CAST(a AS STRING) FROM t"),
        (
            "SELECT * FROM t TIMESTAMP AS OF '2026-01-01' WHERE a",
            "SELECT * FROM t VERSION AS OF 0 WHERE a",
        ),
        ("SELECT * FROM (SHOW TABLES) s", "SELECT * FROM __headwater_view s"),
        (
            "SELECT * FROM VOLUME v USING CSV x JOIN DIRECTORY(VOLUME v) y",
            "SELECT * FROM __headwater_view x JOIN __headwater_view y",
        ),
        ("SELECT SESSION_CONFIGS()['dt.args.d']", r"SELECT 'it\'s'"),
    ],
)
def test_what_spark_does_not_know_is_a_name(query: str, text: str) -> None:
    assert text_of(query) == text


def test_a_text_that_only_the_lake_can_complete_is_not_shown() -> None:
    assert text_of("SELECT GET_PRESIGNED_URL(VOLUME v, 'a', 10)") is None


def test_a_place_in_a_query_is_one_in_its_statement() -> None:
    statement = "CREATE VIEW v AS SELECT CAST(a AS VARCHAR) b c"
    start = statement.index("SELECT")
    found = parser_text(statement, Span(start, len(statement)), {})
    assert found is not None
    place = found.text.index(" c") + 1
    assert found.original_span(place, place + 1) == Span(len(statement) - 1, len(statement))
