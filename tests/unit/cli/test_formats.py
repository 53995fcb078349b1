"""Results as table, json and csv."""

from __future__ import annotations

import csv
import io
import json
from datetime import date, datetime
from decimal import Decimal

import pytest

from headwater import csv_text
from headwater.cli.formats import distinct_names, timing_text, writer
from headwater.result import Column, Result, string_columns

VALUES = (
    ("a", "string", 'he said "hi", twice\r\n'),
    ("b", "int", 1),
    ("c", "double", 1e10),
    ("d", "decimal(10,2)", Decimal("14999.00")),
    ("e", "date", date(2026, 6, 1)),
    ("f", "timestamp", datetime(2026, 6, 1, 12, 0, 0, 250_000)),
    ("g", "boolean", True),
    ("h", "array<int>", [1, None]),
    ("i", "struct<x:int>", {"x": 1}),
    ("j", "string", None),
    ("k", "string", ""),
    ("l", "binary", b"\xde\xad"),
    ("m", "string", "日本"),
)


def one_row() -> Result:
    columns = [Column(name, kind) for name, kind, _ in VALUES]
    return Result.from_rows(columns, [tuple(value for *_, value in VALUES)])


def written(name: str, *results: Result) -> str:
    stream = io.StringIO(newline="")
    write = writer(name, stream)
    for result in results:
        write(result)
    return stream.getvalue()


def test_json_keeps_every_kind_of_value():
    assert json.loads(written("json", one_row())) == [
        {
            "a": 'he said "hi", twice\r\n',
            "b": 1,
            "c": 1e10,
            "d": 14999.00,
            "e": "2026-06-01",
            "f": "2026-06-01 12:00:00.250",
            "g": True,
            "h": [1, None],
            "i": {"x": 1},
            "j": None,
            "k": "",
            "l": "3q0=",
            "m": "日本",
        }
    ]


def test_json_is_one_line_per_result():
    lines = written("json", one_row(), Result.from_rows(string_columns("x"), [])).splitlines()
    assert len(lines) == 2
    assert lines[1] == "[]"


def test_csv_reads_back():
    text = written("csv", one_row())
    header, row = csv.reader(io.StringIO(text, newline=""))
    assert header == [name for name, *_ in VALUES]
    assert row == [
        'he said "hi", twice\r\n',
        "1",
        "1.0E10",
        "14999.00",
        "2026-06-01",
        "2026-06-01 12:00:00.250",
        "true",
        "[1,null]",
        '{"x":1}',
        "",
        "",
        "[DE AD]",
        "日本",
    ]


def test_csv_tells_null_from_an_empty_text():
    result = Result.from_rows(string_columns("a", "b"), [(None, "")])
    assert written("csv", result) == 'a,b\n,""\n'


def test_csv_keeps_a_row_of_one_null():
    result = Result.from_rows(string_columns("a"), [(None,), ("x",)])
    assert list(csv.reader(io.StringIO(written("csv", result)))) == [["a"], [""], ["x"]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_1", "a_2"]),
        (["a", "a_1", "a"], ["a", "a_1", "a_2"]),
        (["a", "a", "a_1", "a_1"], ["a", "a_2", "a_1", "a_1_1"]),
    ],
)
def test_equal_names_are_told_apart(given, expected):
    assert distinct_names(given) == expected


def test_json_loses_no_column_of_an_equal_name():
    result = Result.from_rows(string_columns("id", "id"), [("1", "2")])
    assert json.loads(written("json", result)) == [{"id": "1", "id_1": "2"}]


def test_a_large_result_is_converted_piece_by_piece(monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"n": list(range(25))})
    result = Result.from_arrow([Column("n", "bigint")], table, time_zone="UTC")
    sizes = []
    original = Result.from_arrow

    def watched(schema, piece, *, time_zone):
        sizes.append(piece.num_rows)
        return original(schema, piece, time_zone=time_zone)

    monkeypatch.setattr(csv_text, "_ROWS_AT_ONCE", 10)
    monkeypatch.setattr(Result, "from_arrow", watched)
    assert written("csv", result).split() == ["n", *map(str, range(25))]
    assert [row["n"] for row in json.loads(written("json", result))] == list(range(25))
    assert sizes == [10, 10, 5] * 2
    assert "rows" not in vars(result)


def test_a_table_says_when_it_shows_only_the_first_rows():
    stream = io.StringIO()
    result = Result.from_rows(string_columns("a"), [("1",), ("2",), ("3",)])
    writer("table", stream, most_rows=2)(result)
    assert stream.getvalue().endswith("(3 rows, first 2 shown)\n")


def test_timing_counts_rows():
    assert (
        timing_text(Result.from_rows(string_columns("a"), [("1",)]), 0.2134) == "1 row in 0.213 s"
    )
    assert timing_text(Result.from_rows(string_columns("a"), []), 2) == "0 rows in 2.000 s"
    assert timing_text(Result(message="schema a created"), 0.1) == "done in 0.100 s"
