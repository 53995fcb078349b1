"""Relations are found where a relation can stand, and nowhere else."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.relations import Relations, find_relations
from headwater.sql.tokens import tokenize


def relations(text: str) -> Relations:
    return find_relations(text, tokenize(text))


def names(text: str) -> list[str]:
    return [str(r.name) for r in relations(text).named]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM t", ["t"]),
        ("SELECT * FROM a.b.c AS x", ["a.b.c"]),
        ("SELECT t.x, u.y FROM t, u WHERE t.id = u.id", ["t", "u"]),
        ("SELECT * FROM a JOIN b ON a.x = b.x, c", ["a", "b", "c"]),
        ("SELECT * FROM a JOIN b USING (id, k) LEFT JOIN c ON c.i IN (1, 2)", ["a", "b", "c"]),
        ("SELECT * FROM (a JOIN b ON true), (SELECT * FROM c) d", ["a", "b", "c"]),
        (
            "SELECT x FROM t WHERE y IN (SELECT z FROM u) AND w > (SELECT max(v) FROM s)",
            ["t", "u", "s"],
        ),
        ("SELECT extract(year FROM ts), trim(both ' ' FROM s) FROM t", ["t"]),
        ("SELECT a IS DISTINCT FROM b FROM t", ["t"]),
        ("SELECT x FROM t ORDER BY a, b", ["t"]),
        ("SELECT x FROM t GROUP BY a, b UNION ALL SELECT y FROM u", ["t", "u"]),
        ("SELECT c FROM t LATERAL VIEW explode(arr) e AS c, d WHERE c > 1", ["t"]),
        ("WITH a AS (SELECT * FROM t), b(x) AS (SELECT * FROM a) SELECT * FROM a JOIN b", ["t"]),
        ("SELECT * FROM range(10) r JOIN t", ["t"]),
        ("SELECT `from` FROM `my table`", ["`my table`"]),
        ("SELECT x.from FROM t x", ["t"]),
        ("INSERT INTO t SELECT * FROM s", ["t", "s"]),
        ("INSERT INTO TABLE t (a, b) VALUES (1, 2)", ["t"]),
        ("INSERT OVERWRITE t SELECT * FROM s", ["t", "s"]),
        ("UPDATE t SET a = (SELECT max(b) FROM s)", ["t", "s"]),
        ("DELETE FROM t WHERE id IN (SELECT id FROM s)", ["t", "s"]),
        ("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", ["t", "s"]),
        ("MERGE INTO t USING (SELECT * FROM s) x ON true WHEN MATCHED THEN DELETE", ["t", "s"]),
        ("SELECT * FROM t TABLESAMPLE (10 ROWS) x, u", ["t", "u"]),
        ("EXPLAIN SELECT * FROM t", ["t"]),
        ("TABLE t", ["t"]),
        ("SELECT * FROM delta.`/some/path`", ["delta.`/some/path`"]),
        ("VALUES (1), (2)", []),
        ("SELECT * FROM VALUES (1), (2) AS v(x)", []),
        ("SELECT * FROM t PIVOT (sum(x) FOR y IN ('a', 'b'))", ["t"]),
        ("CREATE TEMP VIEW v AS SELECT * FROM t", ["t"]),
        ("SELECT * FROM t WHERE EXISTS (FROM u SELECT 1)", ["t", "u"]),
    ],
)
def test_names_are_found_where_a_relation_stands(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_targets_of_dml_are_marked_as_written() -> None:
    found = relations("MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE").named
    assert [(r.name.name, r.role) for r in found] == [("t", "write"), ("s", "read")]
    assert relations("DELETE FROM t").named[0].role == "write"
    assert relations("UPDATE t SET a = 1").named[0].role == "write"


def test_a_show_in_parentheses_is_a_relation_with_its_place() -> None:
    text = "SELECT * FROM (SHOW TABLES LIKE 'a(b') s JOIN t"
    found = relations(text)
    assert [s.text for s in found.statements] == ["SHOW TABLES LIKE 'a(b'"]
    span = found.statements[0].span
    assert text[span.start : span.end] == "(SHOW TABLES LIKE 'a(b')"
    assert [r.name.name for r in found.named] == ["t"]


@pytest.mark.parametrize(
    ("text", "unit", "expression"),
    [
        ("SELECT * FROM t TIMESTAMP AS OF '2024-01-01'", "TIMESTAMP", "'2024-01-01'"),
        ("SELECT * FROM t TIMESTAMP AS OF '2024-01-01' x WHERE true", "TIMESTAMP", "'2024-01-01'"),
        ("SELECT * FROM t VERSION AS OF 3 AS x", "VERSION", "3"),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01' JOIN u", "TIMESTAMP", "'2024-01-01'"),
        (
            "SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL '12' hours WHERE x = 1",
            "TIMESTAMP",
            "current_timestamp() - INTERVAL '12' hours",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF (now() - INTERVAL 5 MINUTES) x, u",
            "TIMESTAMP",
            "(now() - INTERVAL 5 MINUTES)",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF CAST('2024-01-01' AS TIMESTAMP) ORDER BY 1",
            "TIMESTAMP",
            "CAST('2024-01-01' AS TIMESTAMP)",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF TIMESTAMP '2024-01-01' x",
            "TIMESTAMP",
            "TIMESTAMP '2024-01-01'",
        ),
    ],
)
def test_time_travel_is_read_to_the_end_of_its_expression(
    text: str, unit: str, expression: str
) -> None:
    travel = relations(text).named[0].time_travel
    assert travel is not None
    assert (travel.unit, travel.expression) == (unit, expression)


def test_spans_point_at_the_name_as_typed() -> None:
    text = "SELECT * FROM  a . `b c`  x"
    span = relations(text).named[0].span
    assert text[span.start : span.end] == "a . `b c`"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT * FROM v USING CSV", "write FROM VOLUME v USING CSV"),
        ("SELECT * FROM s.v x USING parquet FILES('a')", "write FROM VOLUME s.v USING PARQUET"),
        ("SELECT * FROM VOLUME v x USING CSV", "a name for it comes last"),
        ("SELECT * FROM VOLUME s.v x USING CSV", "a name for it comes last"),
    ],
)
def test_a_volume_without_its_word_or_with_a_name_too_early(text: str, hint: str) -> None:
    with pytest.raises(UserError, match="belongs right behind a volume") as caught:
        relations(text)
    assert caught.value.span is not None
    assert text[caught.value.span.start : caught.value.span.end].upper() == "USING"
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM a JOIN csv USING (json)",
        "MERGE INTO t USING csv ON t.a = csv.a WHEN MATCHED THEN DELETE",
        "SELECT * FROM volume v JOIN csv USING (a)",
    ],
)
def test_a_table_may_be_called_like_a_format(text: str) -> None:
    assert "csv" in [relation.name.name for relation in relations(text).named]
