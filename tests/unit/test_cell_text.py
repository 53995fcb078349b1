"""Values as people and JSON read them."""

from __future__ import annotations

import json
import struct
from collections import namedtuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cell_text import cell, json_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (42, "42"),
        ("as is", "as is"),
        (1.0, "1.0"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (10000000.0, "1.0E7"),
        (123456789.5, "1.234567895E8"),
        (-1.5e-10, "-1.5E-10"),
        (1e22, "1.0E22"),
        (5e-324, "5.0E-324"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        (date(2024, 5, 17), "2024-05-17"),
        (datetime(2024, 5, 17, 11, 33, 15), "2024-05-17 11:33:15"),
        (datetime(2024, 5, 17, 11, 33, 15, 512000), "2024-05-17 11:33:15.512"),
        (datetime(2024, 5, 17, 11, 33, 15, 512001), "2024-05-17 11:33:15.512001"),
        (datetime(2024, 5, 17, 11, 33, tzinfo=UTC), "2024-05-17 11:33:00+00:00"),
        (timedelta(milliseconds=327), "0 00:00:00.327000000"),
        (timedelta(days=3, hours=25, seconds=1), "4 01:00:01.000000000"),
        (timedelta(seconds=-1), "-0 00:00:01.000000000"),
        (b"\xde\xad", "[DE AD]"),
        (b"", "[]"),
        ([1, "a", None], '[1,"a",null]'),
        ({"rows_deleted": "0", "rows_inserted": "1"}, '{"rows_deleted":"0","rows_inserted":"1"}'),
        ({1: {"é": [True]}}, '{"1":{"é":[true]}}'),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_values_print_as_in_the_documents(value: object, text: str) -> None:
    assert cell(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_reads_back_as_itself(value: float) -> None:
    text = cell(value)
    assert struct.pack("d", float(text)) == struct.pack("d", value)
    assert "." in text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**70, 2**70),
        (1.5, 1.5),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("0.1"), 0.1),
        (Decimal("12.50"), 12.5),
        (Decimal("12345678901234567890.12"), "12345678901234567890.12"),
        (Decimal("NaN"), "NaN"),
        (b"\xde\xad", "3q0="),
        (datetime(2024, 5, 17, 11, 33, 15, 512000), "2024-05-17 11:33:15.512"),
        (timedelta(seconds=1), "0 00:00:01.000000000"),
        (date(2024, 5, 17), "2024-05-17"),
        ((1, [b"\x00"]), [1, ["AA=="]]),
        ({None: 1, 2: Decimal("1.5")}, {"null": 1, "2": 1.5}),
    ],
)
def test_json_values_lose_nothing(value: object, expected: object) -> None:
    found = json_value(value)
    assert found == expected
    assert type(found) is type(expected)


def test_a_row_with_field_names_is_an_object() -> None:
    named = namedtuple("named", ["a", "b"])

    class SparkRow(tuple[Any, ...]):
        def asDict(self) -> dict[str, Any]:  # noqa: N802 - as pyspark.sql.Row calls it
            return {"x": self[0], "y": [named(1, 2)]}

    row = SparkRow((1, 2))
    assert json_value(row) == {"x": 1, "y": [{"a": 1, "b": 2}]}
    assert cell(row) == '{"x":1,"y":[{"a":1,"b":2}]}'


def test_a_variant_is_the_json_it_holds() -> None:
    class Variant:
        def toJson(self) -> str:  # noqa: N802 - as pyspark's VariantVal calls it
            return '{"a":1}'

        def __str__(self) -> str:
            return self.toJson()

    assert json_value([Variant()]) == [{"a": 1}]
    assert cell(Variant()) == '{"a":1}'


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals()
nested = st.recursive(
    scalars | st.binary() | st.dates() | st.datetimes() | st.timedeltas(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


@given(nested)
def test_every_value_can_be_printed_and_written_as_json(value: object) -> None:
    assert isinstance(cell(value), str)
    json.dumps(json_value(value), allow_nan=False)
