"""Results survive the way to a client: rows, types, counts, messages."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from io import BytesIO
from random import Random

import pyarrow
import pytest

from headwater.result import Column, Result
from headwater.wire.results import arrow_stream, description_of, read_stream, result_from


def sent(result: Result) -> bytes:
    return b"".join(arrow_stream(result))


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
    here = read_stream(BytesIO(sent(there)))
    assert here.schema == there.schema
    assert here.rows == there.rows
    assert (here.rowcount, here.message, here.job_id, here.time_zone) == (
        2,
        "warning: old",
        "job",
        "Asia/Tokyo",
    )


def test_an_arrow_table_comes_back_as_it_was_in_several_pieces() -> None:
    table = pyarrow.table({"n": pyarrow.array(range(800_000), type=pyarrow.int64())})
    there = Result.from_arrow([Column("n", "bigint")], table, time_zone="UTC")
    stream = arrow_stream(there)
    pieces = list(stream)
    assert len(pieces) > 3
    assert stream.length == sum(len(piece) for piece in pieces)
    here = read_stream(BytesIO(b"".join(pieces)))
    assert here.to_arrow().equals(table, check_metadata=True)


def test_a_result_with_columns_and_no_rows_stays_one() -> None:
    there = Result.from_rows(COLUMNS, [])
    here = read_stream(BytesIO(sent(there)))
    assert here.returns_rows
    assert here.rows == []
    assert here.rowcount == 0


def test_a_result_without_columns_needs_no_stream() -> None:
    there = Result(rowcount=3, message="3 rows inserted", job_id="job")
    here = result_from(description_of(there))
    assert not here.returns_rows
    assert (here.rowcount, here.message, here.job_id) == (3, "3 rows inserted", "job")


def test_what_is_no_stream_of_a_result_is_a_value_error() -> None:
    plain = BytesIO()
    with pyarrow.ipc.new_stream(plain, pyarrow.schema([("n", pyarrow.int64())])):
        pass
    for content in (b"", b"x" * 100, plain.getvalue(), b"\xff\xff\xff\xff" + b"\x7f" * 200):
        with pytest.raises(ValueError, match="no Arrow stream of a result"):
            read_stream(BytesIO(content))


def test_a_damaged_stream_is_an_error_and_nothing_else() -> None:
    """OSError is for bytes that are missing, ValueError for bytes that are wrong."""
    whole = sent(Result.from_rows(COLUMNS, [ROW] * 3))
    random = Random(1)
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        with suppress(ValueError, OSError):
            read_stream(BytesIO(damaged))
