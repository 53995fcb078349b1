"""The WHERE of SHOW: three-valued logic as SQLite has it, coercions as Spark has them."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import HeadwaterError, Span
from headwater.result import Column
from headwater.sql.row_filter import compile_filter

NOW = datetime(2024, 5, 17, 12, 0, 0, tzinfo=UTC)
COLUMNS = (
    Column("job_id", "string"),
    Column("status", "string"),
    Column("priority", "int"),
    Column("is_dynamic", "boolean"),
    Column("start_time", "timestamp"),
    Column("execution_time", "interval day to second"),
    Column("day", "date"),
    Column("cost", "decimal(10,2)"),
    Column("properties", "map<string,string>"),
    Column("ratio", "double"),
    Column("odd name", "string"),
)
ROW = (
    "20240517_abc",
    "SUCCEED",
    3,
    True,
    datetime(2024, 5, 17, 11, 30, 0, 500000),
    timedelta(milliseconds=327),
    date(2024, 5, 17),
    Decimal("1.50"),
    {"a": "b"},
    0.5,
    "x",
)
NULLS = (None,) * len(ROW)


def kept(expression: str, row: tuple[Any, ...] = ROW, now: datetime = NOW) -> bool:
    return compile_filter(expression, COLUMNS, now=now)(row)


@pytest.mark.parametrize(
    "expression",
    [
        "is_dynamic",
        "IS_DYNAMIC = TRUE",
        "is_dynamic = 'true'",
        "is_dynamic = 'Y'",
        "is_dynamic = 1",
        "NOT is_dynamic = false",
        "is_dynamic IS TRUE AND is_dynamic IS NOT FALSE",
        "`status` = 'SUCCEED'",
        '`odd name` = "x"',
        "status == 'SUCCEED' AND status != 'FAILED' AND status <> ''",
        "status IN ('FAILED', 'SUCCEED')",
        "status NOT IN ('FAILED')",
        "status LIKE 'SUC%' AND status NOT LIKE 'suc%' AND status ILIKE 'suc%'",
        "'it''s' = 'it\\'s' AND \"a\"\"b\" = 'a\"b' AND '\\u0041\\r' = 'A\r' AND r'\\n' = '\\\\n'",
        "job_id LIKE '%\\_abc' AND NOT status LIKE '%\\_%' AND 'a' 'b' = 'ab'",
        "status NOT LIKE 'x' ESCAPE '#' AND NOT status NOT ILIKE 'suc%'",
        "job_id LIKE '%\\\\_abc' AND job_id LIKE '%#_abc' ESCAPE '#'",
        "status RLIKE '^S.*D$' AND status REGEXP 'CC' AND NOT status RLIKE '^CC'",
        "priority BETWEEN 3 AND 5 AND priority NOT BETWEEN 4 AND 5",
        "priority = '3' AND '3.0' = priority AND priority < '10'",
        "priority + 1 - 2 = 2 AND -priority = -3 AND priority = 3L AND priority < 1e1",
        "cost = 1.5 AND cost > 1 AND cost + ratio = 2 AND ratio + cost = 2",
        "(priority = 3 OR 1 = 0) AND (1 = 1)",
        "priority <=> 3 AND NOT priority <=> NULL",
        "priority IS DISTINCT FROM 4 AND priority IS NOT DISTINCT FROM 3",
        "lower(status) = 'succeed' AND upper('a') = 'A' AND length(status) = 7",
        "trim('  a ') = 'a' AND ltrim(' a ') = 'a ' AND rtrim(' a ') = ' a'",
        "trim(BOTH 'x' FROM 'xax') = 'a'",
        "concat(status, '-', priority) = 'SUCCEED-3' AND status || 'x' = 'SUCCEEDx'",
        "coalesce(NULL, status) = 'SUCCEED' AND nvl(status, 'x') <> 'x'",
        "substring(status, 1, 3) = 'SUC' AND substr(status, -2) = 'ED'",
        "substring(status, 0, 2) = 'SU' AND substring('abc', -5, 3) = 'a'",
        "properties IS NOT NULL",
    ],
)
def test_the_row_is_kept(expression: str) -> None:
    assert kept(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "start_time > '2024-05-17'",
        "start_time > '2024' AND start_time < '2025-1'",
        "start_time = '2024-05-17 11:30:00.5'",
        "start_time = '2024-05-17T11:30:00.500Z'",
        "start_time = '2024-05-17 19:30:00.5+08:00'",
        "start_time = '2024-05-17 19:30:00.5 Asia/Shanghai'",
        "start_time < TIMESTAMP '2024-05-17 11:30:01'",
        "start_time >= DATE '2024-05-17' AND start_time < DATE '2024-05-18'",
        "start_time > current_timestamp() - INTERVAL 1 HOUR",
        "start_time > now() - INTERVAL '31' MINUTES",
        "start_time < current_timestamp - INTERVAL 29 minutes",
        "start_time < now() - INTERVAL '0 00:29:00' DAY TO SECOND",
        "start_time + INTERVAL 1 day 2 hours > now() + INTERVAL '1 day 1 hour'",
        "now() - start_time < INTERVAL 30 MINUTES",
        "start_time > now() - INTERVAL 1 WEEK",
        "CAST(start_time AS DATE) = current_date() AND date(start_time) = '2024-05-17'",
        "start_time LIKE '2024-05-17 11:30:00.5%'",
        "CAST('2024-05-17 00:00:00' AS TIMESTAMP) < start_time",
        "day = '2024-05-17' AND day = current_date AND day + 1 > day AND day - 1 < day",
        "day - DATE '2024-05-16' = INTERVAL 1 DAY AND day + INTERVAL 1 HOUR > day",
        "CAST('2024-05-17 10:00:00' AS DATE) = day",
        "execution_time > INTERVAL '0.3' SECOND AND execution_time < INTERVAL 1 second",
        "execution_time = INTERVAL '0 00:00:00.327' DAY TO SECOND",
        "execution_time < '1 second' AND execution_time < '0 00:00:01'",
        "execution_time > INTERVAL '-1' HOUR AND execution_time > -INTERVAL 1 HOUR",
        "execution_time + execution_time = INTERVAL 654 MILLISECONDS",
        "CAST('5' AS INT) = 5 AND CAST('true' AS BOOLEAN) AND CAST(1.7 AS INT) = 1",
        "try_cast('x' AS INT) IS NULL AND '5'::int = 5 AND CAST(priority AS STRING) = '3'",
    ],
)
def test_times_and_casts_are_read_as_spark_reads_them(expression: str) -> None:
    assert kept(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "is_dynamic",
        "NOT is_dynamic",
        "priority = 3 OR status = 'x'",
        "priority <> 3",
        "priority NOT IN (1, 2)",
        "status NOT LIKE 'x'",
        "start_time < now()",
        "priority BETWEEN 1 AND 2",
        "priority NOT BETWEEN 1 AND 2",
        "priority = NULL",
        "NULL",
        "priority + 1 > 0",
        "concat(status, 'x') = 'x'",
        "is_dynamic IS TRUE",
    ],
)
def test_null_is_neither_true_nor_false(expression: str) -> None:
    assert not kept(expression, NULLS)


@pytest.mark.parametrize(
    "expression",
    ["priority IS NULL", "priority <=> NULL", "is_dynamic IS NOT TRUE", "priority = 1 OR TRUE"],
)
def test_null_can_be_asked_for(expression: str) -> None:
    assert kept(expression, NULLS)


def test_in_with_null_finds_but_never_excludes() -> None:
    assert kept("priority IN (3, NULL)")
    assert not kept("priority IN (4, NULL)")
    assert not kept("priority NOT IN (4, NULL)")


def test_naive_timestamps_are_in_the_zone_of_the_session() -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    now = NOW.astimezone(shanghai)
    naive = (*ROW[:4], datetime(2024, 5, 17, 19, 30), *ROW[5:])
    aware = (*ROW[:4], datetime(2024, 5, 17, 11, 30, tzinfo=UTC), *ROW[5:])
    other = (*ROW[:4], datetime(2024, 5, 17, 6, 30, tzinfo=timezone(timedelta(hours=-5))), *ROW[5:])
    for row in (naive, aware, other):
        assert kept("start_time = '2024-05-17 19:30:00'", row, now)
        assert kept("start_time = now() - INTERVAL 30 MINUTES", row, now)
        assert kept("start_time LIKE '%19:30:00'", row, now)
    late = (*ROW[:4], datetime(2024, 5, 17, 20, 0, tzinfo=UTC), *ROW[5:])
    assert kept("date(start_time) = '2024-05-18'", late, now)


def test_a_clock_without_a_zone_is_in_utc() -> None:
    assert kept("start_time = now() - INTERVAL 30 MINUTES + INTERVAL '0.5' SECOND", ROW,
                NOW.replace(tzinfo=None))  # fmt: skip


def failure(expression: str, row: tuple[Any, ...] | None = None) -> HeadwaterError:
    def run() -> None:
        keep = compile_filter(expression, COLUMNS, now=NOW, offset=100)
        if row is not None:
            keep(row)

    with pytest.raises(HeadwaterError) as caught:
        run()
    return caught.value


def test_an_unknown_column_is_named_and_the_nearest_one_suggested() -> None:
    error = failure("priority = 3 AND statsu = 'x'")
    assert error.condition == "COLUMN_NOT_FOUND"
    assert error.span == Span(117, 123)
    assert error.hint == "did you mean status?"
    assert failure("zzz = 1").hint.startswith("use one of job_id, status")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("expression", "construct"),
    [
        ("priority IN (SELECT 1)", "IN with a subquery"),
        ("EXISTS (SELECT 1)", "a subquery"),
        ("priority = (SELECT 1)", "a subquery"),
        ("CASE WHEN is_dynamic THEN TRUE END", "CASE"),
        ("priority * 2 = 6", "*"),
        ("reverse(status) = 'x'", "the function reverse"),
        ("my_function(status) = 'x'", "the function my_function"),
        ("count(*) > 1", "the function count"),
        ("status LIKE ANY ('a', 'b')", "ANY"),
        ("start_time > now() - INTERVAL 1 MONTH", "the interval INTERVAL '1' MONTH"),
        ("properties['a'] = 'b'", "[..]"),
        ("status = ?", "a parameter"),
        ("priority BETWEEN SYMMETRIC 5 AND 1", "BETWEEN with symmetric"),
        ("regexp_like(status, 'x', 'i')", "the function regexp_like with flag"),
        ("concat_ws(',', status, 'x') = 'x'", "the function concat_ws"),
        ("CAST(status AS ARRAY<INT>) IS NULL", "a cast to ARRAY<INT>"),
    ],
)
def test_what_is_not_supported_is_named_with_the_way_around(
    expression: str, construct: str
) -> None:
    error = failure(expression)
    assert error.condition == "FILTER_NOT_SUPPORTED"
    assert error.parameters["construct"] == construct
    assert error.hint == "SELECT * FROM (SHOW ..) WHERE .."
    assert error.span is not None
    assert 100 <= error.span.start < error.span.end <= 100 + len(expression)


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("execution_time > 1000", "FILTER_TYPES"),
        ("start_time = 5", "FILTER_TYPES"),
        ("properties = 'x'", "FILTER_TYPES"),
        ("is_dynamic + 1 = 2", "FILTER_TYPES"),
        ("start_time + start_time = 1", "FILTER_TYPES"),
        ("-status = 'x'", "FILTER_TYPES"),
        ("priority", "FILTER_NOT_BOOLEAN"),
        ("status AND is_dynamic", "FILTER_NOT_BOOLEAN"),
        ("start_time > 'yesterday'", "FILTER_VALUE"),
        ("start_time > '2024-13-01'", "FILTER_VALUE"),
        ("start_time > '2024-01-01 00:00:00 Nowhere/Land'", "FILTER_VALUE"),
        ("is_dynamic = 'maybe'", "FILTER_VALUE"),
        ("priority = 'high'", "FILTER_VALUE"),
        ("CAST('NaN' AS INT) = 1", "FILTER_VALUE"),
        ("execution_time > 'long'", "FILTER_VALUE"),
        ("status RLIKE '('", "FILTER_VALUE"),
        ("now() + INTERVAL 99999999 DAYS > now()", "FILTER_OVERFLOW"),
        ("priority = 3 x", "FILTER_SYNTAX"),
        ("priority =", "FILTER_SYNTAX"),
        ("(priority = 3", "FILTER_SYNTAX"),
        ("priority = 3; DROP TABLE t", "FILTER_SYNTAX"),
        ("status = 'x", "FILTER_SYNTAX"),
        ("", "FILTER_SYNTAX"),
    ],
)
def test_a_wrong_filter_fails_before_any_row_is_read(expression: str, condition: str) -> None:
    error = failure(expression)
    assert error.condition == condition
    assert error.span is not None
    assert 100 <= error.span.start <= error.span.end <= 100 + len(expression)


def test_the_place_of_a_syntax_error_is_found_on_later_lines_too() -> None:
    text = "priority = 3\n  AND AND status = 'x'"
    span = failure(text).span
    assert span is not None
    assert text[span.start - 100 : span.end - 100] == "AND"


def test_a_row_that_cannot_be_cast_is_an_error_as_in_spark() -> None:
    assert failure("status = 5", ROW).condition == "FILTER_VALUE"


def test_a_long_chain_of_conditions_does_not_exhaust_the_stack() -> None:
    assert kept(" OR ".join(f"priority = {n}" for n in range(3000)))


# The shared subset, written for both: (ours, SQLite's).
Pair = tuple[str, str]


def _both(text: str) -> Pair:
    return text, text


def _join(template: str, *parts: Pair, sqlite: str | None = None) -> Pair:
    ours = template.format(*(part[0] for part in parts))
    return ours, (sqlite or template).format(*(part[1] for part in parts))


numbers = st.recursive(
    st.sampled_from(["a", "b", "0", "1", "2", "NULL", "length(s)"]).map(_both),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: _join("({} + {})", *p)),
        st.tuples(inner, inner).map(lambda p: _join("({} - {})", *p)),
        st.tuples(inner, inner).map(lambda p: _join("coalesce({}, {})", *p)),
        inner.map(lambda p: _join("(-{})", p)),
    ),
    max_leaves=4,
)
texts = st.recursive(
    st.sampled_from(["s", "t", "'x'", "'xy'", "' y '", "''", "NULL"]).map(_both),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: _join("({} || {})", *p)),
        st.tuples(inner, inner).map(lambda p: _join("coalesce({}, {})", *p)),
        inner.map(lambda p: _join("upper({})", p)),
        inner.map(lambda p: _join("trim({})", p)),
        inner.map(lambda p: _join("substr({}, 1, 2)", p)),
    ),
    max_leaves=3,
)
operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "!="])


def _predicates(operands: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.one_of(
        st.tuples(operators, operands, operands).map(
            lambda p: _join(f"({{}} {p[0]} {{}})", p[1], p[2])
        ),
        st.tuples(operands, operands).map(lambda p: _join("({} <=> {})", *p, sqlite="({} IS {})")),
        st.tuples(operands, operands, operands).map(lambda p: _join("({} BETWEEN {} AND {})", *p)),
        st.tuples(operands, operands, operands).map(lambda p: _join("({} NOT IN ({}, {}))", *p)),
        operands.map(lambda p: _join("({} IS NOT NULL)", p)),
    )


patterns = st.text("xyXY%_ ", max_size=4).map(lambda text: _both(f"'{text}'"))
conditions = st.recursive(
    st.one_of(
        st.sampled_from(["p", "q", "TRUE", "FALSE", "NULL"]).map(_both),
        _predicates(numbers),
        _predicates(texts),
        st.tuples(texts, patterns).map(lambda p: _join("({} LIKE {})", *p)),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: _join("({} AND {})", *p)),
        st.tuples(inner, inner).map(lambda p: _join("({} OR {})", *p)),
        inner.map(lambda p: _join("(NOT {})", p)),
    ),
    max_leaves=6,
)
some_text = st.none() | st.text("xy XY", max_size=3)
some_number = st.none() | st.integers(-2, 3)
some_truth = st.none() | st.booleans()
rows = st.lists(
    st.tuples(some_number, some_number, some_text, some_text, some_truth, some_truth), max_size=12
)
SHARED = (
    Column("a", "int"),
    Column("b", "bigint"),
    Column("s", "string"),
    Column("t", "string"),
    Column("p", "boolean"),
    Column("q", "boolean"),
)


@given(conditions, rows)
def test_logic_agrees_with_sqlite(pair: Pair, data: list[tuple[Any, ...]]) -> None:
    ours, theirs = pair
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA case_sensitive_like = ON")
    database.execute("CREATE TABLE r (n INTEGER, a INTEGER, b INTEGER, s TEXT, t TEXT, p, q)")
    database.executemany(
        "INSERT INTO r VALUES (?, ?, ?, ?, ?, ?, ?)", [(n, *row) for n, row in enumerate(data)]
    )
    expected = [n for (n,) in database.execute(f"SELECT n FROM r WHERE {theirs} ORDER BY n")]
    database.close()
    keep = compile_filter(ours, SHARED, now=NOW)
    assert [n for n, row in enumerate(data) if keep(row)] == expected
