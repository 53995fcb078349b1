"""Two queries that differ in columns alone: what is found, what is refused, and the law of it."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter

import pytest

from headwater.algebra.replacement import Added, Replacement, compare

OLD = "SELECT t.a, t.b FROM s.t AS t WHERE t.a > 1"


def compared(old: str, new: str, before: str = "a b", after: str = "a b") -> Replacement | str:
    return compare(old, new, old_names=before.split(), new_names=after.split())


def test_a_column_that_is_left_out_takes_no_row_with_it() -> None:
    found = compared(OLD, "SELECT t.a FROM s.t AS t WHERE t.a > 1", after="a")
    assert isinstance(found, Replacement)
    assert (found.dropped, found.added, found.cast) == (("b",), (), ())


def test_a_column_that_is_passed_on_is_known_by_its_source() -> None:
    text = "SELECT t.a, t.b, t.c AS d, t.c + 1 AS e FROM s.t AS t WHERE t.a > 1"
    found = compared(OLD, text, after="a b d e")
    assert isinstance(found, Replacement)
    assert found.added == (Added("d", "c"), Added("e", None))
    assert found.worked_with == frozenset({"a", "c"})


def test_a_cast_of_what_a_column_was_is_told_from_another_value() -> None:
    cast = compared(OLD, "SELECT t.a, CAST(t.b AS BIGINT) AS b FROM s.t AS t WHERE t.a > 1")
    assert isinstance(cast, Replacement)
    assert cast.cast == ("b",)
    other = compared(OLD, "SELECT t.a, t.b + 1 AS b FROM s.t AS t WHERE t.a > 1")
    assert other == "column 'b' is worked out differently"


def test_names_of_the_table_decide_not_places() -> None:
    assert isinstance(
        compared(OLD, "SELECT t.b, t.a FROM s.t AS t WHERE t.a > 1", after="b a"), Replacement
    )
    assert compared(OLD, OLD, after="b a") == "column 'b' is worked out differently"


@pytest.mark.parametrize(
    ("old", "new", "names", "why"),
    [
        (OLD, "SELECT t.a, t.b FROM s.t AS t WHERE t.a > 2", "a b", "WHERE differs"),
        (OLD, "SELECT t.a, t.b FROM s.t AS t", "a b", "WHERE differs"),
        (OLD, "SELECT t.a, t.b FROM s.u AS t WHERE t.a > 1", "a b", "FROM differs"),
        (
            "SELECT t.a FROM t JOIN u ON t.a = u.a",
            "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a",
            "a",
            "JOIN differs",
        ),
        (
            "SELECT t.a, count(*) AS n FROM t GROUP BY t.a",
            "SELECT t.a, count(*) AS n FROM t GROUP BY t.a, t.b",
            "a n",
            "GROUP BY differs",
        ),
        (
            "SELECT t.a, count(*) AS n FROM t GROUP BY t.a HAVING count(*) > 1",
            "SELECT t.a, count(*) AS n FROM t GROUP BY t.a HAVING count(*) > 2",
            "a n",
            "HAVING differs",
        ),
        (
            "SELECT t.a AS x, x + 1 AS y FROM t",
            "SELECT t.b AS x, x + 1 AS y FROM t",
            "x y",
            "a column is worked out from another one of the list",
        ),
        (
            "SELECT t.a FROM t UNION ALL SELECT t.a FROM t",
            "SELECT t.a FROM t",
            "a",
            "it is no plain",
        ),
    ],
)
def test_what_may_give_other_rows_is_named(old: str, new: str, names: str, why: str) -> None:
    found = compared(old, new, names, names)
    assert isinstance(found, str)
    assert found.startswith(why)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SELECT DISTINCT t.a, t.b FROM t", "SELECT DISTINCT t.a FROM t"),
        ("SELECT t.a, t.b FROM t ORDER BY b LIMIT 3", "SELECT t.a FROM t LIMIT 3"),
        ("SELECT t.a, explode(t.b) AS b FROM t", "SELECT t.a FROM t"),
        ("SELECT 1 AS a, count(*) AS b FROM t", "SELECT 1 AS a FROM t"),
    ],
)
def test_a_column_that_decides_about_rows_cannot_go(old: str, new: str) -> None:
    assert isinstance(compared(old, new, "a b", "a"), str)


def test_the_same_query_is_the_same_whatever_it_is() -> None:
    text = "SELECT DISTINCT t.a FROM t UNION SELECT t.a FROM t LIMIT 4"
    assert compared(text, text, "a", "A") == Replacement()


_ITEMS = ("t.a", "t.b", "t.c", "t.a + t.b AS s", "CAST(t.a AS BIGINT) AS a", "count(*) AS n")
_RESTS = (
    "FROM t",
    "FROM t WHERE t.a > 1",
    "FROM t WHERE t.b < 3",
    "FROM t JOIN u ON t.a = u.a",
    "FROM t LEFT JOIN u ON t.a = u.a",
    "FROM t GROUP BY t.a, t.b, t.c",
)


def _made(chance: random.Random) -> tuple[str, list[str]]:
    items, rest = chance.sample(_ITEMS, chance.randint(1, 4)), chance.choice(_RESTS)
    if "count(*) AS n" in items and "GROUP" not in rest:
        items = ["count(*) AS n"]
    named: dict[str, str] = {}
    for item in items:
        named.setdefault(item.rpartition(" AS ")[2].rpartition(".")[2], item)
    words = chance.choice(("SELECT", "SELECT", "SELECT", "SELECT DISTINCT"))
    return f"{words} {', '.join(named.values())} {rest}", list(named)


@pytest.mark.laws
def test_what_is_called_the_same_rows_is_the_same_rows() -> None:
    """The law, on random pairs of queries: SQLite works both out."""
    seed = random.randrange(1 << 32)
    chance, database, held = random.Random(seed), sqlite3.connect(":memory:"), 0
    database.execute("CREATE TABLE t (a INT, b INT, c INT)")
    database.execute("CREATE TABLE u (a INT)")
    rows = [[chance.randint(0, 4) for _ in range(3)] for _ in range(30)]
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    database.executemany("INSERT INTO u VALUES (?)", [(n,) for n in (0, 1, 1, 3)])
    for _ in range(1500):
        (old, before), (new, after) = _made(chance), _made(chance)
        found = compare(old, new, old_names=before, new_names=after)
        if isinstance(found, str):
            continue
        held += 1
        both = [name for name in after if name in before]
        answers = []
        for text, names in ((old, before), (new, after)):
            places = [names.index(name) for name in both]
            answers.append(Counter(tuple(row[p] for p in places) for row in database.execute(text)))
        assert answers[0] == answers[1], f"seed {seed}: {old} and {new}"
    assert held > 20, f"seed {seed}: too few pairs say anything"
