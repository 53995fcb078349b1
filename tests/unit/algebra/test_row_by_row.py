"""Queries that can be asked of rows as they come, and those that need all of them."""

from __future__ import annotations

import pytest
from tests.algebra_trees import tree_of

from headwater.algebra.row_by_row import objection

GROUPING = "a grouping"
KEEPS = "a join that keeps rows of another table, whether changes match them or not"
AGAIN = "UNION ALL with rows of other tables, which would come again each time"


def of(text: str) -> str | None:
    """What stands against a query for which t is a stream, and u is not."""
    _, query = tree_of(text)
    return objection(query.tree, {"t"})


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, a + 1 AS b FROM t WHERE a > 2",
        "SELECT k FROM t UNION ALL SELECT a FROM t",
        "SELECT t.k, u.c FROM t JOIN u ON t.k = u.k",
        "SELECT t.k, u.c FROM u JOIN t ON t.k = u.k",
        "SELECT t.k, u.c FROM t LEFT JOIN u ON t.k = u.k",
        "SELECT t.k, u.c FROM u RIGHT JOIN t ON t.k = u.k",
        "SELECT k FROM t WHERE k IN (SELECT k FROM u)",
        "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
        "SELECT t.k, n FROM t JOIN (SELECT k, count(*) AS n FROM u GROUP BY k) x ON t.k = x.k",
        "WITH c AS (SELECT k FROM t) SELECT k FROM c",
        "SELECT k, y FROM t LATERAL VIEW explode(arr) e AS y",
    ],
)
def test_rows_can_be_asked_one_by_one(text: str) -> None:
    assert of(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT k, count(*) AS n FROM t GROUP BY k", GROUPING),
        ("SELECT DISTINCT k FROM t", GROUPING),
        (
            "SELECT k, row_number() OVER (PARTITION BY k ORDER BY a) AS n FROM t",
            "a window function",
        ),
        ("SELECT k FROM t ORDER BY k LIMIT 3", "ORDER BY with LIMIT"),
        ("SELECT x.k FROM t x JOIN t y ON x.k = y.k", "a join of changes with changes"),
        ("SELECT u.k FROM u LEFT JOIN t ON t.k = u.k", KEEPS),
        ("SELECT t.k FROM t FULL JOIN u ON t.k = u.k", KEEPS),
        ("SELECT k FROM u WHERE k IN (SELECT k FROM t)", KEEPS),
        ("SELECT k FROM t UNION ALL SELECT k FROM u", AGAIN),
        ("SELECT k FROM t UNION SELECT k FROM t", GROUPING),
        ("SELECT k FROM u", "a query of other tables alone"),
    ],
)
def test_what_needs_all_rows_is_named(text: str, words: str) -> None:
    assert of(text) == words
