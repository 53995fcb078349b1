"""Results as tables: borders as in the documents, nothing that upsets a terminal."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from headwater.result import Column, Result, Row
from headwater.tables_as_text import as_text, text_width


def table(*rows: Row, names: str = "a b") -> Result:
    return Result.from_rows([Column(name, "string") for name in names.split()], rows)


def test_a_table_looks_like_the_documents() -> None:
    result = table(("view", 91634700), ("add_to_cart", None), names="event_type events_count")
    assert as_text(result) == (
        "+-------------+--------------+\n"
        "| event_type  | events_count |\n"
        "+-------------+--------------+\n"
        "| view        | 91634700     |\n"
        "| add_to_cart | null         |\n"
        "+-------------+--------------+"
    )


def test_times_and_json_print_as_in_the_refresh_history() -> None:
    row = (datetime(2024, 5, 17, 11, 33, 15, 512000), timedelta(milliseconds=327), {"rows": "1"})
    line = as_text(table(row, names="start_time duration stats")).split("\n")[3]
    assert line == '| 2024-05-17 11:33:15.512 | 0 00:00:00.327000000 | {"rows":"1"} |'


def test_an_empty_result_keeps_its_header() -> None:
    assert as_text(table()) == "+---+---+\n| a | b |\n+---+---+"


def test_a_statement_without_rows_prints_its_message() -> None:
    assert as_text(Result(message="table t created")) == "table t created"
    assert as_text(Result()) == ""


def test_a_long_result_says_how_much_is_shown() -> None:
    text = as_text(table(*[(n, n) for n in range(5)]), limit=2)
    assert text.endswith("| 1 | 1 |\n+---+---+\n(5 rows, first 2 shown)")
    assert "rows" not in as_text(table((1, 1)), limit=1)


def test_only_the_rows_shown_are_taken_out_of_an_arrow_table() -> None:
    columns = (Column("n", "bigint"),)
    result = Result.from_arrow(columns, pa.table({"n": range(10000)}), time_zone="UTC")
    assert as_text(result, limit=1).endswith("| 0 |\n+---+\n(10000 rows, first 1 shown)")
    assert "rows" not in vars(result)
    assert as_text(result).count("\n") == 10003


def test_wide_cells_are_cut() -> None:
    lines = as_text(table(("x" * 50, "short")), max_width=10).split("\n")
    assert lines[3] == "| xxxxxxx... | short |"
    assert as_text(table(("宽宽宽宽", "")), max_width=6).split("\n")[3] == "| 宽... |   |"


def test_wide_characters_take_two_columns_and_accents_none() -> None:
    lines = as_text(table(("数据", "e\u0301"), ("abcd", "x"))).split("\n")
    assert lines[3] == "| 数据 | e\u0301 |"
    assert lines[4] == "| abcd | x |"
    assert len({text_width(line) for line in lines}) == 1


def test_control_characters_are_shown_not_obeyed() -> None:
    line = as_text(table(("a\nb\t\x1b[31m", "\u202ex\u2028"))).split("\n")[3]
    assert line == "| a\\nb\\t\\x1b[31m | \\u202ex\\u2028 |"


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4), st.none() | st.integers(1, 8))
def test_every_line_is_as_wide_as_the_border_and_harmless(
    rows: list[tuple[str, str]], max_width: int | None
) -> None:
    lines = as_text(table(*rows), max_width=max_width).split("\n")
    assert len(lines) == len(rows) + 3 + bool(rows)
    assert {text_width(line) for line in lines} == {len(lines[0])}
    text = "".join(lines)
    assert not {unicodedata.category(character) for character in text} & {"Cc", "Cs", "Zl", "Zp"}
