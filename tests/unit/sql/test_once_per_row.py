"""Columns that rows are given when they come: found in the list, taken out, or refused."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.once_per_row import given_columns, without_given

COLUMNS = {"id", "v", "user"}


@pytest.mark.parametrize(
    ("query", "given", "rest"),
    [
        ("SELECT id, now() AS at FROM t", {"at": "now()"}, "SELECT id FROM t"),
        ("SELECT uuid() AS u, id FROM t", {"u": "uuid()"}, "SELECT  id FROM t"),
        ("SELECT id, CURRENT_TIMESTAMP AS at FROM t", {"at": "CURRENT_TIMESTAMP"}, None),
        (
            "SELECT id, uuid() AS u, v, concat('x', rand()) AS r FROM t -- end",
            {"u": "uuid()", "r": "concat('x', rand())"},
            "SELECT id, v FROM t -- end",
        ),
        (
            "WITH a AS (SELECT id, v FROM t) SELECT *, now() AS `the time` FROM a WHERE id > 1",
            {"the time": "now()"},
            "WITH a AS (SELECT id, v FROM t) SELECT * FROM a WHERE id > 1",
        ),
        (
            "SELECT v, count(*) AS n, now() AS at FROM t GROUP BY v",
            {"at": "now()"},
            "SELECT v, count(*) AS n FROM t GROUP BY v",
        ),
        ("SELECT now() AS a, uuid() AS b, id FROM t", {"a": "now()", "b": "uuid()"}, None),
        ("SELECT id, user FROM t", {}, "SELECT id, user FROM t"),
    ],
)
def test_what_a_row_is_and_what_it_is_given_come_apart(
    query: str, given: dict[str, str], rest: str | None
) -> None:
    found = given_columns(query, columns=COLUMNS)
    assert {column.name: column.value for column in found} == given
    left = without_given(query, list(given))
    if rest is not None:
        assert left == rest
    assert given_columns(left, columns=COLUMNS) == ()


@pytest.mark.parametrize(
    ("query", "at", "why"),
    [
        ("SELECT id, uuid() FROM t", "uuid()", "it has no name"),
        ("SELECT id, concat(v, uuid()) AS u FROM t", "concat", "worked out from a column"),
        ("SELECT id, (SELECT uuid()) AS u FROM t", "(SELECT", "it is a sub-query"),
        ("SELECT DISTINCT id, now() AS at FROM t", "now", "SELECT DISTINCT"),
        ("SELECT id, now() AS at FROM t UNION ALL SELECT 1, now()", "now", "UNION"),
        ("SELECT id, now() AS at FROM t LIMIT 3", "now", "LIMIT"),
        ("SELECT id, now() AS at FROM t GROUP BY 1", "now", "GROUP BY counts columns"),
        ("SELECT now() AS at FROM t", "now", "no other column"),
    ],
)
def test_what_cannot_be_given_is_pointed_at(query: str, at: str, why: str) -> None:
    with pytest.raises(UserError, match="NOT_ONCE_PER_ROW") as caught:
        given_columns(query, columns=COLUMNS)
    assert why in caught.value.message
    assert caught.value.span is not None
    assert query[caught.value.span.start :].startswith(at)


def test_what_decides_about_rows_is_left_to_be_refused() -> None:
    """Only the list is looked at: elsewhere such a function is none that a row is given."""
    assert given_columns("SELECT id FROM t WHERE v > rand()", columns=COLUMNS) == ()
