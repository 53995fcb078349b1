"""Every marker becomes one literal that reads back as the value, whatever the value holds."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import DataError, HeadwaterError, ProgrammingError, Span
from headwater.sql.binding import bind, bind_rows
from headwater.sql.string_literals import decode_string
from headwater.sql.tokens import tokenize


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (None, "NULL"),
        (True, "true"),
        (False, "false"),
        (5, "5"),
        (-5, "(-5)"),
        (2**63, "9223372036854775808"),
        (-(2**63), "(-9223372036854775808)"),
        (1.5, "1.5D"),
        (-0.0, "(-0.0D)"),
        (1e22, "1e+22D"),
        (float("nan"), "double('NaN')"),
        (float("inf"), "double('Infinity')"),
        (float("-inf"), "double('-Infinity')"),
        (Decimal("1.50"), "1.50BD"),
        (Decimal("-1E+3"), "(-1000BD)"),
        ("", "''"),
        ("it's", r"'it\'s'"),
        ("a\\b\n", r"'a\\b\n'"),
        ("${env:HOME}", r"'\u0024{env:HOME}'"),
        (b"\xde\xad", "X'DEAD'"),
        (b"", "X''"),
        (bytearray(b"\x00"), "X'00'"),
        (date(24, 5, 17), "DATE'0024-05-17'"),
        (datetime(2024, 5, 17, 11, 33), "TIMESTAMP'2024-05-17 11:33:00'"),
        (datetime(2024, 5, 17, 11, 33, 0, 5), "TIMESTAMP'2024-05-17 11:33:00.000005'"),
        (datetime(2024, 5, 17, tzinfo=UTC), "TIMESTAMP'2024-05-17 00:00:00+00:00'"),
        (
            datetime(2024, 5, 17, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
            "TIMESTAMP'2024-05-17 00:00:00-03:30'",
        ),
        (
            datetime(1900, 1, 1, 8, 5, 43, tzinfo=timezone(timedelta(hours=8, seconds=343))),
            "TIMESTAMP'1900-01-01 00:00:00+00:00'",
        ),
        (timedelta(milliseconds=327), "INTERVAL '0 00:00:00.327000' DAY TO SECOND"),
        (timedelta(days=-1, hours=-2), "INTERVAL '-1 02:00:00.000000' DAY TO SECOND"),
        (UUID(int=1), "'00000000-0000-0000-0000-000000000001'"),
        ([1, None, "x"], "array(1, NULL, 'x')"),
        ((), "array()"),
        ({"a": [1]}, "map('a', array(1))"),
        ({}, "map()"),
    ],
)
def test_values_become_literals(value: object, sql: str) -> None:
    assert bind("SELECT ?", [value]) == f"SELECT {sql}"
    assert bind("SELECT :v", {"v": value}) == f"SELECT {sql}"


def test_missing_values_of_pandas_are_null() -> None:
    pandas = pytest.importorskip("pandas")
    assert bind("SELECT ?", [pandas.NaT]) == "SELECT NULL"
    moment = pandas.Timestamp("2024-05-17 11:33:15.123456789")
    assert bind("SELECT ?", [moment]) == "SELECT TIMESTAMP'2024-05-17 11:33:15.123456'"


nasty = st.text(st.sampled_from("'\"`\\\n\r\t;-/*?:abc$%_{}é😀\u2028 \x1f"), max_size=12) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12
)
values = (
    nasty
    | st.none()
    | st.booleans()
    | st.integers(-(10**37), 10**37)
    | st.floats()
    | st.decimals(-(10**9), 10**9, places=4)
    | st.binary(max_size=4)
    | st.dates()
    | st.datetimes()
    | st.timedeltas(timedelta(days=-100000), timedelta(days=100000))
)


@given(st.lists(nasty, min_size=1, max_size=4))
def test_nasty_strings_are_one_token_each_and_read_back(texts: list[str]) -> None:
    template = "INSERT INTO t -- really?\n VALUES (1, " + "/* ? */?,".join([""] * len(texts))
    tokens = tokenize(bind(template + "?)", texts))
    found = [decode_string(token.text) for token in tokens if token.kind == "string"]
    assert found == texts
    others = [token.text for token in tokens if token.kind != "string"]
    assert others == [
        "INSERT",
        "INTO",
        "t",
        "VALUES",
        "(",
        "1",
        ",",
        *[","] * (len(texts) - 1),
        ")",
        "",
    ]


@given(st.lists(values, min_size=1, max_size=4))
def test_what_stands_between_the_markers_stays_in_place(items: list[Any]) -> None:
    text = "|".join("?" for _ in items)
    plain = bind(text, items)
    alone = [bind("?", [item]) for item in items]
    assert plain == "|".join(alone)
    for neighbours in ("-?-", "'a'?'b'", "SELECT?FROM", "x.?", "1?2"):
        before = [token.text for token in tokenize(neighbours.split("?")[0])][:-1]
        after = [token.text for token in tokenize(neighbours.split("?")[1])]
        inner = [token.text for token in tokenize(alone[0])][:-1]
        bound = bind(neighbours, items[:1])
        assert [token.text for token in tokenize(bound)] == [*before, *inner, *after]


def test_question_marks_in_strings_names_and_comments_are_no_markers() -> None:
    text = "SELECT '?', `?`, \"?\" /* ? */ -- ?\n, ?"
    assert bind(text, [1]) == text[:-1] + "1"


def test_a_negative_number_never_starts_a_comment() -> None:
    assert bind("SELECT 1 -?", [-5]) == "SELECT 1 -(-5)"


def test_names_are_markers_only_outside_paths_and_casts() -> None:
    text = "SELECT a:b, x[1:n], f(x):b, c::b, {'k': :b}, x=:b, (:b), ':b' WHERE y > :b"
    bound = "SELECT a:b, x[1:n], f(x):b, c::b, {'k': 7}, x=7, (7), ':b' WHERE y > 7"
    assert bind(text, {"b": 7, "unused": 1}) == bound


def test_names_are_left_alone_when_a_sequence_is_given() -> None:
    assert bind("SELECT a:b, :b, ?", [1]) == "SELECT a:b, :b, 1"


@pytest.mark.parametrize(("text", "given"), [("SELECT ?, ?", [1]), ("SELECT 1", [1]), ("?", [])])
def test_the_number_of_values_must_match(text: str, given: list[object]) -> None:
    with pytest.raises(ProgrammingError) as caught:
        bind(text, given)
    assert isinstance(caught.value, HeadwaterError)
    assert caught.value.condition == "PARAMETER_COUNT"


def test_a_missing_name_is_reported_where_it_stands() -> None:
    with pytest.raises(HeadwaterError) as caught:
        bind("SELECT :amuont", {"amount": 1})
    assert caught.value.condition == "PARAMETER_MISSING"
    assert caught.value.span == Span(7, 14)
    assert caught.value.hint == "did you mean amount?"


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        1j,
        "a\0b",
        "\ud800",
        ["fine", "\0"],
        10**38,
        pytest.param(10**5000, id="an integer too long to print"),
        Decimal("NaN"),
        Decimal("1E+50"),
        Decimal("1E-40"),
        timedelta.max,
    ],
)
def test_values_without_a_sql_form_are_refused(value: object) -> None:
    with pytest.raises(DataError) as caught:
        bind("SELECT ?", [value])
    assert isinstance(caught.value, HeadwaterError)
    assert caught.value.condition == "PARAMETER_TYPE"


def test_a_string_is_not_taken_for_a_list_of_values() -> None:
    with pytest.raises(HeadwaterError) as caught:
        bind("SELECT ?", "x")
    assert caught.value.condition == "PARAMETER_TYPE"


def test_many_rows_become_one_insert() -> None:
    text = "INSERT INTO t (a, b) VALUES (?, upper(?)) ;"
    bound = "INSERT INTO t (a, b) VALUES (1, upper('x')), (2, upper(NULL)) ;"
    assert bind_rows(text, [(1, "x"), (2, None)]) == bound
    named = "insert into t values (:a, :b)"
    assert bind_rows(named, [{"a": 1, "b": 2}, {"a": 3, "b": 4}]) == (
        "insert into t values (1, 2), (3, 4)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT ?, ?",
        "INSERT INTO t VALUES (?, 1), (?, 2)",
        "INSERT OVERWRITE t VALUES (?, ?)",
        "INSERT INTO t PARTITION (p = ?) VALUES (?)",
        "INSERT INTO t VALUES (?, ?) RETURNING 1",
        "UPDATE t SET a = ? WHERE b = ?",
        "SELECT * FROM VALUES (?, ?)",
        "INSERT INTO t VALUES (?, ?",
        "",
    ],
)
def test_other_statements_are_not_joined(text: str) -> None:
    assert bind_rows(text, [(1, 2), (3, 4)]) is None


def test_rows_are_not_joined_when_their_types_differ() -> None:
    assert bind_rows("INSERT INTO t VALUES (?)", [(1,), ("a",)]) is None
    assert bind_rows("INSERT INTO t VALUES (?)", []) is None


def test_a_row_of_the_wrong_length_is_an_error() -> None:
    with pytest.raises(HeadwaterError) as caught:
        bind_rows("INSERT INTO t VALUES (?, ?)", [(1, 2), (3,)])
    assert caught.value.condition == "PARAMETER_COUNT"
