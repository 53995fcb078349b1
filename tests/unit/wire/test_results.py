"""Results survive the way to a client: rows, types, counts, messages."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pyarrow

from headwater.result import Column, Result
from headwater.wire.results import arrow_stream, description_of, read_stream, result_from

COLUMNS = (
    Column("id", "bigint"),
    Column("id", "string"),
    Column("amount", "decimal(10,2)"),
    Column("at", "timestamp"),
    Column("tags", "array<struct<name:string,size:int>>"),
    Column("map", "map<string,double>"),
    Column("took", "interval day to second"),
    Column("nothing", "void"),
)
ROW = (
    1,
    "one",
    Decimal("1.50"),
    datetime(2026, 11, 16, 12, 30, 0, 123000),
    [{"name": "a", "size": 1}, None],
    {"x": 0.5},
    timedelta(seconds=3),
    None,
)


def test_rows_made_in_python_come_back_with_their_types() -> None:
    there = Result(
        schema=COLUMNS,
        rowcount=2,
        message="warning: old",
        job_id="job",
        source=[ROW, (None,) * len(ROW)],
        time_zone="Asia/Tokyo",
    )
    here = read_stream(arrow_stream(there))
    assert here.schema == there.schema
    assert here.rows == there.rows
    assert (here.rowcount, here.message, here.job_id, here.time_zone) == (
        2,
        "warning: old",
        "job",
        "Asia/Tokyo",
    )


def test_an_arrow_table_comes_back_as_it_was_in_several_pieces() -> None:
    table = pyarrow.table({"n": pyarrow.array(range(200_000), type=pyarrow.int32())})
    there = Result.from_arrow([Column("n", "int")], table, time_zone="UTC")
    pieces = list(arrow_stream(there))
    assert len(pieces) > 3
    assert read_stream(pieces).to_arrow().equals(table, check_metadata=True)


def test_a_result_with_columns_and_no_rows_stays_one() -> None:
    there = Result.from_rows(COLUMNS, [])
    here = read_stream(arrow_stream(there))
    assert here.returns_rows
    assert here.rows == []
    assert here.rowcount == 0


def test_a_result_without_columns_needs_no_stream() -> None:
    there = Result(rowcount=3, message="3 rows inserted", job_id="job")
    here = result_from(description_of(there))
    assert not here.returns_rows
    assert (here.rowcount, here.message, here.job_id) == (3, "3 rows inserted", "job")
