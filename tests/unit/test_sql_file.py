"""The parts of the SQL test runner that need no lake: reading, writing, comparing, blessing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sql_file import BadFile, parse, render
from tests.sql_rows import (
    blessed_rows,
    blessed_text,
    lines_match,
    row_line,
    row_matches,
    text_lines,
    text_matches,
)

FILE = r"""# name: sample
# description: one of each
# needs: nothing

set-config workspace other

# makes it
statement ok created
CREATE TABLE t (id INT);
INSERT INTO t VALUES (1)

statement error NOT_FOUND
SELECT * FROM nope

statement error
SELECT nope
----
UNRESOLVED: nope
line 1: SELECT nope
               ^^^^

file folder/a.csv
1,lamp
2,desk

connection second

query rowsort
SELECT * FROM t
----
id | at
1 | *
2 | re:\d+

restart

query
SELECT 1 WHERE FALSE
----
"""


def test_a_file_comes_back_as_it_was() -> None:
    assert render(parse(FILE)) == FILE


def test_records_know_their_line_kind_argument_and_parts() -> None:
    file = parse(FILE)
    assert [record.kind for record in file.records] == [
        "set-config",
        "statement",
        "statement",
        "statement",
        "file",
        "connection",
        "query",
        "restart",
        "query",
    ]
    made = file.records[1]
    assert (made.line, made.argument, made.comments) == (8, "ok created", ("# makes it",))
    assert made.sql == "CREATE TABLE t (id INT);\nINSERT INTO t VALUES (1)"
    assert (file.records[4].argument, file.records[4].sql) == ("folder/a.csv", "1,lamp\n2,desk")
    assert file.records[6].expected == ("id | at", "1 | *", r"2 | re:\d+")
    assert file.records[8].expected == ()


def test_the_header_is_read_by_key() -> None:
    file = parse(FILE)
    assert (file.meta("name"), file.meta("needs"), file.meta("nope")) == ("sample", "nothing", None)


def test_an_expectation_is_replaced_where_it_stands() -> None:
    file = parse(FILE)
    record = file.records[6]
    changed = file.with_expected(record.line, ["id | at", "3 | x"])
    expected = FILE.replace("1 | *\n2 | re:\\d+\n", "3 | x\n")
    assert render(changed) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("frobnicate\nSELECT 1", "line 1: unknown record 'frobnicate'"),
        ("statement ok", "line 1: a record 'statement' has no SQL"),
        ("restart\nSELECT 1", "line 1: a record 'restart' takes no SQL"),
        ("statement maybe\nSELECT 1", "line 1: write 'statement ok"),
        ("statement ok\nSELECT 1\n----\n1", "line 1: only 'statement error'"),
        ("query\nSELECT 1", "line 1: write 'query'"),
        ("query sorted\nSELECT 1\n----", "line 1: write 'query'"),
        ("file\n1,2", "line 1: write 'file <path>'"),
        ("file a.csv", "line 1: a record 'file' has no SQL"),
        ("connection", "line 1: write 'connection <name>'"),
        ("set-config key", "line 1: write 'set-config"),
        ("restart\n\n# lost\n\nrestart", "line 3: a comment stands alone"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(BadFile, match=problem):
        parse(text)


def test_cells_are_written_so_that_they_stay_in_their_row_and_record() -> None:
    assert row_line(["a|b", "", "x\ny\t\\", "null"]) == r"a\|b | (empty) | x\ny\t\\ | null"
    assert text_lines("a\n\n b") == ["a", "(empty)", " b"]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_every_row_is_one_line_and_matches_itself(cells: list[str]) -> None:
    line = row_line(cells)
    assert not set("\n\r\t") & set(line)
    assert row_matches(line, line)


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("1 | a", "1 | a", True),
        ("1 | a", "1 | b", False),
        ("1 | *", "1 | anything", True),
        ("1 | *", "1 | a | b", False),
        (r"re:\d+ | a", "17 | a", True),
        (r"re:\d+ | a", "17x | a", False),
        ("re:[", "re:[", True),
    ],
)
def test_rows_match_cell_by_cell(expected: str, got: str, same: bool) -> None:
    assert row_matches(expected, got) is same


def test_the_order_matters_unless_rowsort_is_asked_for() -> None:
    expected, got = ["id", "2", "1"], ["id", "1", "2"]
    assert not lines_match(expected, got, matches=row_matches)
    assert lines_match(expected, got, matches=row_matches, any_order=True)


def test_in_any_order_a_wildcard_leaves_rows_to_those_who_ask_for_their_value() -> None:
    expected = ["id", "*", "1"]
    assert lines_match(expected, ["id", "1", "2"], matches=row_matches, any_order=True)
    assert not lines_match(expected, ["id", "3", "2"], matches=row_matches, any_order=True)


def test_too_few_or_too_many_rows_never_match() -> None:
    assert not lines_match(["id", "*"], ["id"], matches=row_matches)
    assert not lines_match(["id"], ["id", "1"], matches=row_matches, any_order=True)


def test_blessing_keeps_the_wildcards_that_still_match() -> None:
    expected = ["id | at | by", r"1 | re:\d+ | ann", r"2 | re:\d+ | *"]
    got = ["id | at | by", "1 | 17 | bob", "2 | never | carl"]
    assert blessed_rows(expected, got) == [
        "id | at | by",
        r"1 | re:\d+ | bob",
        "2 | never | *",
    ]


def test_blessing_follows_rows_that_moved_when_their_number_changed() -> None:
    expected = ["id | at", "1 | *", "3 | *"]
    got = ["id | at", "1 | 17", "2 | 18", "3 | 19"]
    assert blessed_rows(expected, got) == ["id | at", "1 | *", "2 | 18", "3 | *"]


def test_blessing_an_empty_expectation_takes_everything() -> None:
    assert blessed_rows((), ["id", "1"]) == ["id", "1"]
    assert blessed_text((), ["a", "b"]) == ["a", "b"]


def test_blessing_a_text_keeps_the_lines_that_are_patterns() -> None:
    expected = ["re:TABLE_.*", "line 1: x"]
    assert blessed_text(expected, ["TABLE_GONE: t", "line 1: y"]) == ["re:TABLE_.*", "line 1: y"]
    assert text_matches("re:TABLE_.*", "TABLE_GONE: t")
