"""Which queries a stored view answers, in SQL; that the answers are right is a law of its own."""

from __future__ import annotations

import pytest
from sqlglot import exp
from tests.algebra_trees import tree_of

from headwater.algebra.answering.implication import implies
from headwater.algebra.answering.rewrite import rewrite
from headwater.algebra.answering.views import StoredView
from headwater.algebra.nodes import Scan, columns_of
from headwater.algebra.render import text_of
from headwater.algebra.walk import nodes_of, scalars_of, sources_of
from headwater.sql.dialect import Headwater

GROUPS = (
    "SELECT k, b, sum(a) AS s, count(a) AS n, count(*) AS all, max(d) AS m FROM t GROUP BY k, b"
)
FEW = "SELECT k, a, b FROM t WHERE a < 3"
JOINED = "SELECT t.k, t.a, u.c, u.e, u.k AS uk FROM t JOIN u ON t.k = u.k"


def is_answered(view: str, query: str, *, type: str = "bigint") -> bool:
    _, stored = tree_of(view)
    _, asked = tree_of(query)
    columns = tuple((f"c{at}", type) for at, _ in enumerate(columns_of(stored.tree)))
    made = rewrite(asked, [StoredView("mv", "mv", stored.tree, columns)])
    assert bool(made.used) is ("mv" in sources_of(made.query.tree))
    assert columns_of(made.query.tree) == columns_of(asked.tree)
    return bool(made.used)


@pytest.mark.parametrize(
    ("view", "query"),
    [
        (FEW, FEW),
        (FEW, "SELECT b, a + 1 FROM t AS x WHERE x.a < 2"),
        (FEW, "SELECT k FROM t WHERE a = 1 AND b LIKE 'x%'"),
        (FEW, "SELECT k FROM t WHERE a IN (0, 1)"),
        (FEW, "SELECT k FROM t WHERE a BETWEEN 0 AND 2"),
        (FEW, "SELECT k FROM (SELECT * FROM t WHERE a < 3) WHERE b = 'x' ORDER BY k LIMIT 3"),
        (FEW, "SELECT count(DISTINCT k) FROM t WHERE a < 3"),
        (FEW, "SELECT x.k, u.c FROM t AS x LEFT JOIN u ON u.k = x.k WHERE x.a < 1"),
        (
            FEW,
            "WITH w AS (SELECT k FROM t WHERE a < 3) SELECT w.k, y.k FROM w JOIN w AS y USING (k)",
        ),
        ("SELECT k FROM t WHERE a IS NOT NULL", "SELECT k FROM t WHERE a IS NOT NULL"),
        ("SELECT k, a FROM t WHERE a IS NOT NULL", "SELECT k FROM t WHERE a > 5"),
        (
            "SELECT k, day FROM t WHERE day < '2026-02-01'",
            "SELECT k FROM t WHERE day < '2026-01-01'",
        ),
        (
            "SELECT k, day FROM t WHERE day >= DATE '2026-01-01'",
            "SELECT k FROM t WHERE day = DATE '2026-01-02'",
        ),
        (GROUPS, GROUPS),
        (GROUPS, "SELECT k, sum(a), count(*) FROM t GROUP BY k"),
        (GROUPS, "SELECT sum(a), count(1), max(d) FROM t"),
        (
            GROUPS,
            "SELECT upper(b), sum(a) FROM t WHERE k > 1 GROUP BY upper(b) HAVING count(*) > 1",
        ),
        (GROUPS, "SELECT DISTINCT k FROM t"),
        (GROUPS, "SELECT max(k) FROM t"),
        (GROUPS, "SELECT k, b, s FROM (" + GROUPS + ") WHERE s > 3"),
        (
            GROUPS,
            "SELECT u.e, g.s FROM u JOIN (SELECT k, sum(a) AS s FROM t GROUP BY k) AS g USING (k)",
        ),
        (
            "SELECT k, avg(x) AS m FROM t GROUP BY k",
            "SELECT k, avg(x) FROM t WHERE k = 2 GROUP BY k",
        ),
        (JOINED, "SELECT u.c FROM u JOIN t ON u.k = t.k WHERE t.a = 2"),
        (JOINED, "SELECT v.g, u.c FROM t JOIN u ON t.k = u.k JOIN v ON v.k = u.k"),
        (JOINED, "SELECT c, count(*) FROM t JOIN u USING (k) GROUP BY c"),
        (
            "SELECT t.k, a, c FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT c FROM t LEFT JOIN u ON t.k = u.k WHERE a = 1",
        ),
    ],
)
def test_a_view_answers(view: str, query: str) -> None:
    assert is_answered(view, query)


@pytest.mark.parametrize(
    ("view", "query"),
    [
        (FEW, "SELECT k FROM t WHERE a < 4"),
        (FEW, "SELECT k FROM t"),
        (FEW, "SELECT d FROM t WHERE a < 2"),
        (FEW, "SELECT k FROM t WHERE a < 2 AND d = 1"),
        (FEW, "SELECT k FROM t WHERE a < 2.5"),
        (FEW, "SELECT k FROM t WHERE a < 2 OR a IS NULL"),
        (FEW, "SELECT k FROM t WHERE NOT a > 5"),
        ("SELECT k, b FROM t WHERE b < '5'", "SELECT k FROM t WHERE b < '10'"),
        (GROUPS, "SELECT k, count(DISTINCT a) FROM t GROUP BY k"),
        (GROUPS, "SELECT k, sum(d) FROM t GROUP BY k"),
        (GROUPS, "SELECT k, sum(a) FROM t WHERE a > 0 GROUP BY k"),
        (GROUPS, "SELECT a, count(*) FROM t GROUP BY a"),
        (GROUPS, "SELECT k, a FROM t"),
        (GROUPS, "SELECT k, avg(x) FROM t GROUP BY k"),
        ("SELECT k, b, avg(a) AS m FROM t GROUP BY k, b", "SELECT k, avg(a) FROM t GROUP BY k"),
        (GROUPS + " HAVING count(*) > 1", "SELECT k, sum(a) FROM t GROUP BY k"),
        (JOINED, "SELECT k, a FROM t"),
        (JOINED, "SELECT t.k, u.c FROM t LEFT JOIN u ON t.k = u.k"),
        (
            "SELECT t.k, c FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.c",
        ),
        ("SELECT DISTINCT k FROM t", "SELECT k FROM t"),
        ("SELECT k FROM t LIMIT 3", "SELECT k FROM t"),
        ("SELECT k FROM t UNION ALL SELECT k FROM u", "SELECT k FROM t UNION SELECT c FROM u"),
    ],
)
def test_a_view_does_not_answer(view: str, query: str) -> None:
    assert not is_answered(view, query)


def test_sums_of_floats_are_not_added_up() -> None:
    fine, coarse = (
        "SELECT k, b, sum(x) AS s FROM t GROUP BY k, b",
        "SELECT k, sum(x) FROM t GROUP BY k",
    )
    assert not is_answered(fine, coarse, type="double")
    assert is_answered(fine, fine, type="double")


def test_a_view_that_is_read_twice_has_two_sets_of_ids() -> None:
    _, stored = tree_of(FEW)
    _, asked = tree_of("SELECT x.k, y.b FROM t x JOIN t y ON x.k = y.a WHERE x.a < 3 AND y.a < 1")
    columns = tuple((f"c{at}", "int") for at in range(3))
    made = rewrite(asked, [StoredView("mv", "mv", stored.tree, columns)])
    assert made.used == ("mv", "mv")
    scans = [
        field.id
        for node in nodes_of(made.query.tree)
        if isinstance(node, Scan)
        for field in node.fields
    ]
    assert len(scans) == len(set(scans))


@pytest.mark.parametrize(
    ("view", "query", "kept"),
    [
        (GROUPS, "SELECT max((k + 1) * 2) FROM t", "+ 1) * 2"),
        (GROUPS, "SELECT (k + 1) * 2, count(*) FROM t GROUP BY (k + 1) * 2", "+ 1) * 2"),
        (FEW, "SELECT (a + 1) * 2 FROM t WHERE a < 2 AND (k = 1 OR b = 'x')", "+ 1) * 2"),
        (FEW, "SELECT k FROM t WHERE a < 2 AND (k = 1 OR b = 'x')", "= 1 OR "),
    ],
)
def test_expressions_keep_their_parentheses(view: str, query: str, kept: str) -> None:
    _, stored = tree_of(view)
    _, asked = tree_of(query)
    columns = tuple((f"c{at}", "bigint") for at, _ in enumerate(columns_of(stored.tree)))
    made = rewrite(asked, [StoredView("mv", "mv", stored.tree, columns)])
    assert made.used
    assert kept in " ".join(
        text_of(scalar) for node in nodes_of(made.query.tree) for scalar in scalars_of(node)
    )


@pytest.mark.parametrize(
    ("known", "wanted", "follows"),
    [
        ("x < 2", "x < 3", True),
        ("x <= 3", "x < 3", False),
        ("x < 3", "x <= 3", True),
        ("3 > x", "x < 3", True),
        ("x > 5", "x >= 5", True),
        ("x > 5", "x < 9", False),
        ("x = 4", "x BETWEEN 1 AND 4", True),
        ("x BETWEEN 2 AND 3", "x > 1", True),
        ("x IN (1, 2)", "x IN (1, 2, 3)", True),
        ("x IN (1, 4)", "x < 3", False),
        ("x = -1", "x < 0", True),
        ("s = 'b'", "s IN ('a', 'b')", True),
        ("s < 'a'", "s < 'b'", False),
        ("x < 2", "y < 3", False),
        ("x < 2", "x IS NOT NULL", True),
        ("x + 1 < 2", "x IS NOT NULL", False),
        ("x < 2", "x < 1 OR x < 3", True),
        ("x < '2026-01-02'", "x < '2026-01-10'", True),
        ("x < 9999999999", "x < 99999999999", False),
    ],
)
def test_what_follows_from_a_condition(known: str, wanted: str, follows: bool) -> None:
    one, other = (exp.maybe_parse(text, dialect=Headwater) for text in (known, wanted))
    assert implies([one], other) is follows
