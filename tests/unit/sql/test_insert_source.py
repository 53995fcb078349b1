"""The columns an INSERT names, and where its query is."""

from __future__ import annotations

import pytest

from headwater.sql.insert_source import insert_source
from headwater.sql.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "columns", "by_position", "query"),
    [
        ("INSERT INTO t VALUES (1, 2)", None, True, "VALUES (1, 2)"),
        ("INSERT INTO s.t (a, `b c`) VALUES (1, 2)", ("a", "b c"), True, "VALUES (1, 2)"),
        ("INSERT INTO TABLE t (SELECT 1)", None, True, "(SELECT 1)"),
        ("INSERT OVERWRITE t ((SELECT 1) UNION SELECT 2)", None, True, None),
        ("INSERT INTO t (a) WITH c AS (SELECT 1) SELECT * FROM c", ("a",), True, None),
        ("INSERT INTO t BY NAME SELECT 1 AS a", None, False, "SELECT 1 AS a"),
        ("INSERT INTO t REPLACE WHERE a = (1) SELECT 1", None, False, "SELECT 1"),
        ("INSERT OVERWRITE t PARTITION (p = 1) SELECT 2 -- end", None, False, "SELECT 2"),
    ],
)
def test_parts(text: str, columns: tuple[str, ...] | None, by_position: bool, query: str) -> None:
    found = insert_source(text, tokenize(text))
    assert found is not None
    assert (found.columns, found.by_position) == (columns, by_position)
    start = text[found.query.start : found.query.end]
    assert start == query if query else text.endswith(start)


def test_without_a_query_there_is_none() -> None:
    assert insert_source("INSERT INTO t x", tokenize("INSERT INTO t x")) is None
