"""What has no place in the tree is refused with its reason, and with its place in the text."""

from __future__ import annotations

import pytest
from tests.algebra_trees import tree_of

from headwater.algebra.binding import NotIncremental, Reason

REFUSED = {
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r LIMIT 3) "
    "SELECT n FROM r": Reason.RECURSION,
    "WITH RECURSIVE r AS (SELECT k FROM r) SELECT k FROM r": Reason.RECURSION,
    "SELECT k FROM t TABLESAMPLE (10 PERCENT)": Reason.SAMPLE,
    "SELECT word FROM sql_keywords()": Reason.TABLE_FUNCTION,
    "SELECT k FROM t VERSION AS OF 3": Reason.TIME_TRAVEL,
    "SELECT t.k, q.n FROM t LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.k = t.k) q "
    "ON q.n > 1": Reason.LATERAL_SUBQUERY,
    "SELECT nope FROM t": Reason.NAME_UNKNOWN,
    "SELECT k FROM t JOIN u ON t.k = u.k": Reason.NAME_UNKNOWN,
    "SELECT k SORT OF": Reason.SYNTAX_UNKNOWN,
    "SELECT k FROM t SORT BY k": Reason.SYNTAX_UNKNOWN,
    "SELECT k, (SELECT max(c) FROM u WHERE u.k > t.k) FROM t": Reason.CORRELATION,
    "SELECT k FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.k = t.k)": Reason.CORRELATION,
    "SELECT k FROM t WHERE a NOT IN (SELECT max(c) FROM u WHERE u.k = t.k)": Reason.CORRELATION,
    "SELECT k FROM t WHERE a = (SELECT c FROM u WHERE u.k = t.k LIMIT 1)": Reason.CORRELATION,
    "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k IN (SELECT k FROM v WHERE n = t.a))": (
        Reason.CORRELATION
    ),
    "SELECT a FROM t FULL JOIN u ON t.k = u.k AND EXISTS (SELECT 1 FROM v)": Reason.SUBQUERY,
    "SELECT a FROM t JOIN u ON t.k = u.k AND EXISTS (SELECT 1 FROM v) FULL JOIN v w ON w.k = u.k": (
        Reason.SUBQUERY
    ),
    "SELECT a FROM t JOIN (u JOIN v ON u.k = v.k AND EXISTS (SELECT 1 FROM t)) ON t.k = u.k": (
        Reason.SUBQUERY
    ),
    "SELECT NOT (a IN (SELECT c FROM u) AND k = 1) FROM t": Reason.SUBQUERY,
    "SELECT k, session_window(day, '1 hour') FROM t GROUP BY 1, 2": Reason.FUNCTION,
    "SELECT arrays_zip(arr, arr) FROM t": Reason.FUNCTION,
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_construct_is_refused_with_its_reason(text: str) -> None:
    with pytest.raises(NotIncremental) as caught:
        tree_of(text)
    assert caught.value.reason is REFUSED[text], caught.value


def test_a_refusal_says_where_the_construct_stands() -> None:
    text = "SELECT k FROM t WHERE nope > 1"
    with pytest.raises(NotIncremental) as caught:
        tree_of(text)
    span = caught.value.span
    assert span is not None
    assert text[span.start : span.end] == "nope"
