"""Calls of functions are found where expressions stand, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from headwater.sql.function_calls import FunctionCall, find_function_calls
from headwater.sql.tokens import tokenize


def calls(text: str) -> list[FunctionCall]:
    return list(find_function_calls(tokenize(text)))


def named(text: str, name: str = "f") -> list[str]:
    """The names of the calls whose last part is `name`, as typed."""
    found = [call for call in calls(text) if call.name.name == name]
    return [text[call.span.start : call.span.end] for call in found]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT f(x) FROM t",
        "SELECT DISTINCT F (x) FROM t",
        "SELECT a, s.f(x) FROM t",
        "SELECT w.s.f(x)",
        "SELECT `s`.`f`(x)",
        "SELECT 1 + f(x), -x",
        "SELECT upper(f(x))",
        "SELECT x[f(1)]",
        "SELECT transform(xs, x -> f(x))",
        "SELECT CASE WHEN f(x) THEN 1 END",
        "SELECT CASE f(x) WHEN 1 THEN 2 END",
        "SELECT * FROM t WHERE f(x)",
        "SELECT * FROM t WHERE NOT f(x)",
        "SELECT * FROM t JOIN u ON f(t.x) = u.y",
        "SELECT * FROM t GROUP BY f(x)",
        "SELECT * FROM t WHERE a LIKE f(x)",
        "SELECT extract(year FROM f(x)) FROM t",
        "SELECT a IS DISTINCT FROM f(x) FROM t",
        "SELECT trim(BOTH f(x) FROM y) FROM t",
        "INSERT INTO t (a, b) SELECT f(x), 1 FROM u",
        "INSERT INTO t VALUES (1, f(2))",
        "UPDATE t SET a = f(x) WHERE b",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = f(u.b)",
        "MERGE INTO t USING u ON t.a = u.a WHEN NOT MATCHED THEN INSERT (a) VALUES (f(u.a))",
        "FROM t |> EXTEND f(x) AS y",
        "WITH q AS (SELECT f(x) FROM t) SELECT * FROM q",
        "SELECT count(*) FILTER (WHERE f(x)) FROM t",
    ],
)
def test_a_call_is_found(text: str) -> None:
    assert len(named(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "SELECT f FROM t",
        "SELECT t.f, f.x FROM f t",
        "SELECT * FROM f (1)",
        "SELECT * FROM t, f(1)",
        "SELECT * FROM t JOIN f(1)",
        "SELECT * FROM t JOIN LATERAL f(1)",
        "SELECT * FROM t LATERAL VIEW f(xs) e AS x",
        "INSERT INTO f (a, b) SELECT 1, 2",
        "INSERT OVERWRITE TABLE f (a) SELECT 1",
        "SELECT * FROM (VALUES (1)) f(a)",
        "SELECT * FROM (VALUES (1)) AS f(a)",
        "SELECT * FROM t f(a, b)",
        "WITH f (a) AS (SELECT 1) SELECT * FROM f",
        "WITH q AS (SELECT 1), f (a) AS (SELECT 1) SELECT * FROM f",
        "SELECT CAST(x AS f(10))",
        "SELECT x::f(10)",
        "SELECT 'f(x)', \"f(x)\" -- f(x)\n/* f(x) */",
        "SELECT a.b.c.f(x)",
        "SELECT f(x",
        "f(x)",
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert named(text) == []


def test_a_schema_may_be_called_like_a_word() -> None:
    assert named("SELECT filter.f(x)") == ["filter.f"]
    assert calls("SELECT a IN (1, 2), EXISTS (SELECT 1), count(*)")[0].name.name == "count"


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("f()", []),
        ("f( x )", ["x"]),
        ("f('a,b', g(1, 2), [1, 2][0])", ["'a,b'", "g(1, 2)", "[1, 2][0]"]),
        ("f(a -- one,\n , b /* two */)", ["a", "b"]),
        ("f(a => 1, `B` => x + 1)", ["1", "x + 1"]),
        ("f((SELECT a, b FROM t), y)", ["(SELECT a, b FROM t)", "y"]),
        ("f(x -> x, y)", ["x -> x", "y"]),
    ],
)
def test_arguments_have_their_places(call: str, arguments: list[str]) -> None:
    text = f"SELECT {call} + 1 FROM t"
    found = next(c for c in calls(text) if c.name.name == "f")
    assert [text[a.span.start : a.span.end] for a in found.arguments] == arguments
    assert text[found.span.start : found.end] == call


def test_arguments_may_be_named() -> None:
    (call,) = calls("SELECT f(a => 1, `B` => 2, 3)")
    assert [a.name and a.name.value for a in call.arguments] == ["a", "B", None]


@pytest.mark.parametrize(
    ("text", "is_item"),
    [
        ("SELECT f(x)", True),
        ("SELECT a, f(x) FROM t", True),
        ("SELECT DISTINCT f(x), b FROM t", True),
        ("SELECT * FROM (SELECT f(x))", True),
        ("SELECT f(x) UNION ALL SELECT 1", True),
        ("SELECT f(x) AS y FROM t", False),
        ("SELECT f(x) y FROM t", False),
        ("SELECT f(x) + 1", False),
        ("SELECT f(x).a", False),
        ("SELECT 1 FROM t GROUP BY f(x)", False),
        ("SELECT 1 FROM t ORDER BY a, f(x)", False),
        ("SELECT upper(f(x))", False),
        ("SELECT concat(a, f(x), b)", False),
        ("SELECT concat(a, f(x))", False),
        ("VALUES (1, f(2))", False),
        ("UPDATE t SET a = 1, b = f(x)", False),
    ],
)
def test_a_call_that_is_an_item_of_a_select_is_known(text: str, *, is_item: bool) -> None:
    (call,) = (c for c in calls(text) if c.name.name == "f")
    assert call.is_item is is_item


@pytest.mark.parametrize(
    ("arguments", "is_constant"),
    [
        ("", True),
        ("1, 'a', NULL, -2.5", True),
        ("a => 1, b => g(s.h(2))", False),
        ("a => 1, b => g(h(2))", True),
        ("CAST('1' AS INT), '2'::BIGINT, DATE '2026-01-01'", True),
        ("x", False),
        ("upper(x)", False),
        ("t.x", False),
        ("1 + `x`", False),
        ("(SELECT 1)", False),
        ("current_date", False),
    ],
)
def test_what_certainly_reads_no_column_is_known(arguments: str, *, is_constant: bool) -> None:
    assert calls(f"SELECT f({arguments}) + 1")[0].is_constant is is_constant


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT f(1)", ""),
        ("INSERT INTO t SELECT f(1)", ""),
        ("INSERT INTO t VALUES (1, f(1))", "VALUES"),
        ("SELECT * FROM VALUES (1), (g((f(1)))) AS v(x)", "VALUES"),
        ("UPDATE t SET a = f(1)", "COMMAND"),
        ("DELETE FROM t WHERE f(1)", "COMMAND"),
        ("MERGE INTO t USING u ON a WHEN NOT MATCHED THEN INSERT (a) VALUES (f(1))", "COMMAND"),
    ],
)
def test_where_a_call_stands_is_known(text: str, place: str) -> None:
    (call,) = (c for c in calls(text) if c.name.name == "f")
    assert call.place == place
