"""Results in the spelling of Hive's protocol."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from headwater.hive.columns import null_bits, row_set, table_schema
from headwater.result import Column


def entry(sql_type: str):
    (column,) = table_schema([Column("c", sql_type)]).columns
    return column.typeDesc.types[0].primitiveEntry


@pytest.mark.parametrize(
    ("sql_type", "number"),
    [("int", 3), ("bigint", 4), ("string", 7), ("timestamp_ntz", 8), ("decimal(10,2)", 15),
     ("date", 17), ("array<int>", 7), ("struct<a: int>", 7), ("interval day to second", 7)],
)  # fmt: skip
def test_types_have_the_protocols_number(sql_type, number):
    assert entry(sql_type).type == number


def test_a_decimal_says_how_many_digits_it_has():
    qualifiers = entry("decimal(10,2)").typeQualifiers.qualifiers
    assert {name: value.i32Value for name, value in qualifiers.items()} == {
        "precision": 10,
        "scale": 2,
    }


@pytest.mark.parametrize(
    ("sql_type", "field", "value", "sent"),
    [
        ("boolean", "boolVal", True, True),
        ("tinyint", "byteVal", 7, 7),
        ("smallint", "i16Val", 7, 7),
        ("int", "i32Val", 7, 7),
        ("bigint", "i64Val", 2**40, 2**40),
        ("float", "doubleVal", 0.5, 0.5),
        ("double", "doubleVal", 0.5, 0.5),
        ("binary", "binaryVal", b"\xff", b"\xff"),
        ("string", "stringVal", "ü", "ü"),
        ("decimal(10,2)", "stringVal", Decimal("1.50"), "1.50"),
        ("date", "stringVal", date(2026, 1, 2), "2026-01-02"),
        (
            "timestamp",
            "stringVal",
            datetime(2026, 1, 2, 3, 4, 5, 678000, UTC),
            "2026-01-02 03:04:05.678",
        ),
        ("array<int>", "stringVal", [1, None], "[1,null]"),
        ("map<string,int>", "stringVal", {"a": 1}, '{"a":1}'),
    ],
)
def test_a_column_of_each_type_with_a_null(sql_type, field, value, sent):
    rows = row_set([Column("c", sql_type)], [(value,), (None,)], start=5)
    column = getattr(rows.columns[0], field)
    assert rows.startRowOffset == 5
    assert (column.values[0], column.nulls) == (sent, b"\x02")


def test_bits_of_nulls_go_over_bytes():
    assert null_bits([None] + [1] * 7 + [None]) == b"\x01\x01"
    assert null_bits([]) == b""
