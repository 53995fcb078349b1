"""Rows as Arrow tables: each SQL type has its Arrow type, and the values survive the trip."""

from __future__ import annotations

import struct
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.arrow import table_of
from headwater.arrow_rows import shortest_float
from headwater.result import Column, Result


@pytest.mark.parametrize(
    ("sql", "arrow", "value"),
    [
        ("string", pa.string(), "x"),
        ("varchar(10)", pa.string(), "x"),
        ("boolean", pa.bool_(), True),
        ("tinyint", pa.int8(), -128),
        ("smallint", pa.int16(), 1),
        ("int", pa.int32(), 1),
        ("bigint", pa.int64(), 2**62),
        ("float", pa.float32(), 0.5),
        ("double", pa.float64(), 0.1),
        ("decimal(10,2)", pa.decimal128(10, 2), Decimal("1.50")),
        ("decimal(38, 0)", pa.decimal128(38, 0), Decimal(10**37)),
        ("decimal", pa.decimal128(10, 0), Decimal(5)),
        ("date", pa.date32(), date(2024, 5, 17)),
        ("timestamp", pa.timestamp("us"), datetime(2024, 5, 17, 11, 33, 15, 512000)),
        ("timestamp_ntz", pa.timestamp("us"), datetime(2024, 5, 17)),
        ("binary", pa.binary(), b"\xde"),
        ("interval day to second", pa.duration("us"), timedelta(milliseconds=327)),
        ("interval hour", pa.duration("us"), timedelta(hours=1)),
        ("array<int>", pa.list_(pa.int32()), [1, None]),
        ("array<array<string>>", pa.list_(pa.list_(pa.string())), [["a"], None, []]),
        ("map<string,bigint>", pa.map_(pa.string(), pa.int64()), [("a", 1), ("b", None)]),
        (
            "struct<a:int,`odd, >``name`: decimal(4, 1) not null comment 'x, >'>",
            pa.struct([("a", pa.int32()), ("odd, >`name", pa.decimal128(4, 1))]),
            {"a": 1, "odd, >`name": Decimal("1.5")},
        ),
        (
            "array<struct<k string, v map<string, array<double>>>>",
            pa.list_(
                pa.struct([("k", pa.string()), ("v", pa.map_(pa.string(), pa.list_(pa.float64())))])
            ),
            [{"k": "x", "v": [("a", [1.0])]}],
        ),
        ("struct<>", pa.struct([]), {}),
        ("void", pa.null(), None),
    ],
)
def test_types_and_values_survive(sql: str, arrow: pa.DataType, value: Any) -> None:
    given = dict(value) if sql.startswith("map") else value
    table = table_of((Column("c", sql), Column("n", "int")), [(given, 1), (None, 2)])
    assert table.schema.field("c").type == arrow
    assert table.column("c").to_pylist() == [value, None]


def test_variants_and_unknown_types_become_text() -> None:
    columns = (Column("v", "variant"), Column("m", "interval year to month"), Column("j", "odd"))
    table = table_of(columns, [({"a": 1}, "1-2", True)])
    assert table.to_pylist() == [{"v": '{"a":1}', "m": "1-2", "j": "true"}]


def test_rows_of_structs_may_be_tuples() -> None:
    table = table_of((Column("s", "struct<a:int,b:string>"),), [((1, "x"),)])
    assert table.to_pylist() == [{"s": {"a": 1, "b": "x"}}]


def test_timestamps_with_a_zone_keep_the_instant() -> None:
    noon = datetime(2024, 5, 17, 12, tzinfo=timezone(timedelta(hours=8)))
    columns = (Column("t", "timestamp"),)
    assert table_of(columns, [(noon,)]).to_pylist() == [{"t": datetime(2024, 5, 17, 4)}]
    table = table_of(columns, [(noon,), (datetime(2024, 5, 17, 12),)], time_zone="Asia/Shanghai")
    assert table.schema.field("t").type == pa.timestamp("us", tz="Asia/Shanghai")
    offset = table_of(columns, [(datetime(2024, 5, 17, 12),)], time_zone="+08:00")
    assert offset.column("t").cast(pa.int64()) == table.column("t").cast(pa.int64()).slice(0, 1)
    instants = [value.astimezone(UTC) for value in table.column("t").to_pylist()]
    assert instants == [datetime(2024, 5, 17, 4, tzinfo=UTC)] * 2


def test_columns_may_share_a_name_and_rows_may_be_missing() -> None:
    table = table_of((Column("a", "int"), Column("a", "string")), [])
    assert table.num_rows == 0
    assert table.column_names == ["a", "a"]
    assert Result.from_rows([Column("a", "int")], [(1,)]).to_arrow().to_pylist() == [{"a": 1}]


def test_a_result_becomes_a_data_frame() -> None:
    pytest.importorskip("pandas")
    frame = Result.from_rows([Column("a", "int"), Column("b", "string")], [(1, "x")]).to_pandas()
    assert frame.to_dict("records") == [{"a": 1, "b": "x"}]


@given(st.floats(width=32, allow_nan=False))
def test_a_four_byte_float_keeps_its_value_with_few_digits(value: float) -> None:
    short = shortest_float(value)
    assert struct.pack("f", short) == struct.pack("f", value)
    assert len(repr(short)) <= len(repr(value))
