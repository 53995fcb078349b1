"""Random tables written by COPY INTO VOLUME and read by COPY INTO are the same tables.

An example is a seed: a batch of rows comes from it, and every batch has the awkward values too.
To repeat a failure, call `round_trip` with the seed that the message names.
"""

from __future__ import annotations

import string
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from pathlib import Path
from random import Random

import pyarrow
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

ROWS = 60
NULL_TEXT = r"\N"
PAIR = pyarrow.struct([("x", pyarrow.int32()), ("Y", pyarrow.string())])
SCHEMA = pyarrow.schema(
    [
        ("id", pyarrow.int32()),
        ("flag", pyarrow.bool_()),
        ("tiny", pyarrow.int8()),
        ("big", pyarrow.int64()),
        ("real", pyarrow.float32()),
        ("double", pyarrow.float64()),
        ("price", pyarrow.decimal128(18, 4)),
        ("wide", pyarrow.decimal128(38, 10)),
        ("text", pyarrow.string()),
        ("Name With Blank", pyarrow.string()),
        ("day", pyarrow.date32()),
        ("at", pyarrow.timestamp("us", tz="UTC")),
        ("local", pyarrow.timestamp("us")),
        ("bytes", pyarrow.binary()),
        ("numbers", pyarrow.list_(pyarrow.int32())),
        ("words", pyarrow.list_(pyarrow.string())),
        ("counts", pyarrow.map_(pyarrow.string(), pyarrow.int32())),
        ("pair", PAIR),
        ("pairs", pyarrow.list_(PAIR)),
    ]
)
TABLE = """CREATE TABLE target (id INT, flag BOOLEAN, tiny TINYINT, big BIGINT, real FLOAT,
    double DOUBLE, price DECIMAL(18, 4), wide DECIMAL(38, 10), text STRING,
    `Name With Blank` STRING, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, bytes BINARY,
    numbers ARRAY<INT>, words ARRAY<STRING>, counts MAP<STRING, INT>,
    pair STRUCT<x: INT, Y: STRING>, pairs ARRAY<STRUCT<x: INT, Y: STRING>>)"""

ONE_LINE = [
    *("", " ", "  two  ", "null", "NULL", "NaN", "true", "0", "-1", "1e3", "2026-06-01", "\\"),
    *('"', '""', "'", "''", ",", ";", "|", "||", "~", "#", "\t", "a,b", 'say "x", y', "it's"),
    *("\\\\", '\\"', "\\'", "a\\", 'a"', '"a', "'a'", '"a"', "~'", "'~", "\\n", "\\t", "//"),
    *("Zoë", "e\u0301", "表", "\U0001f600", "\u00a0", "\u2028", "\ufeff", "\x7f", "\x01", "-- x"),
    *("{", "[1]", '{"a": 1}', "%", "$", "`", "x" * 3000),
]
SEVERAL_LINES = ["\n", "a\nb", "\n\n", "\r\n", "a\rb", '"\n"', "'\n", "a\n", "\na", "\\\n"]
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2200, 1, 1)

# How each is written, and how it is read.
CSV = {
    "defaults but for NULL": (rf"nullValue = r'{NULL_TEXT}'", rf"'nullValue' = r'{NULL_TEXT}'"),
    "other signs, header, gzip": (
        rf"sep = '|' quote = '\'' escape = '~' header = true compression = 'gzip'"
        rf" nullValue = r'{NULL_TEXT}'",
        rf"'sep' = '|', 'quote' = '\'', 'escape' = '~', 'header' = 'true', 'compression' = 'gzip',"
        rf" 'nullValue' = r'{NULL_TEXT}'",
    ),
    "doubled quotes, zlib, a zone": (
        rf"escape = '\"' compression = 'zlib' timeZone = 'Asia/Kolkata' nullValue = r'{NULL_TEXT}'",
        rf"'escape' = '\"', 'compression' = 'zlib', 'timeZone' = 'Asia/Kolkata',"
        rf" 'nullValue' = r'{NULL_TEXT}'",
    ),
    "several lines, a mark, zstd": (
        rf"multiLine = true writebom = true header = true compression = 'zstd'"
        rf" nullValue = r'{NULL_TEXT}'",
        rf"'multiLine' = 'true', 'header' = 'true', 'compression' = 'zstd',"
        rf" 'nullValue' = r'{NULL_TEXT}'",
    ),
    "lines of another end": (
        rf"lineSep = '\r\n' sep = ';' nullValue = r'{NULL_TEXT}'",
        rf"'lineSep' = '\r\n', 'sep' = ';', 'nullValue' = r'{NULL_TEXT}'",
    ),
}
OTHERS = {
    "JSON": ("JSON", "", ""),
    "JSON, gzip": ("JSON", "compression = 'gzip'", "'compression' = 'gzip'"),
    "JSON, zstd": ("JSON", "compression = 'zstd'", "'compression' = 'zstd'"),
    "Parquet": ("PARQUET", "", ""),
    "Parquet, gzip": ("PARQUET", "compression = 'gzip'", ""),
}

# Times without a zone come to Spark as times of the session.
CAST = {"local": "CAST(local AS TIMESTAMP_NTZ) AS local"}
WRITTEN = f"SELECT {', '.join(CAST.get(name, f'`{name}`') for name in SCHEMA.names)} FROM written"

few = settings(max_examples=3, phases=[Phase.explicit, Phase.reuse, Phase.generate], database=None)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Connection]:
    folder: Path = tmp_path_factory.mktemp("lake") / "lake"
    with headwater.connect(folder, time_zone="Europe/Berlin") as connection:
        connection.sql("CREATE VOLUME v RECURSIVE = TRUE")
        connection.sql(TABLE)
        yield connection


def batch(seed: int, *, texts: list[str]) -> pyarrow.Table:
    """A batch of rows; each text of `texts` is in one of them."""
    random = Random(seed)
    values = [_row(random, number, texts) for number in range(max(ROWS, len(texts)))]
    return pyarrow.Table.from_pylist(values, schema=SCHEMA)


def _row(random: Random, number: int, texts: list[str]) -> dict[str, object]:
    def text() -> str:
        if random.random() < 0.5:
            return random.choice(texts)
        signs = [*string.printable[:95], *"äß表\U0001f600", *random.choice(texts)]
        return "".join(random.choices(signs, k=random.randrange(1, 12)))

    def pair() -> dict[str, object] | None:
        return maybe({"x": maybe(random.randrange(-5, 5)), "Y": maybe(text())})

    def maybe(value: object) -> object:
        return None if random.random() < 0.2 else value

    moment = datetime(1970, 1, 2) + timedelta(microseconds=random.randrange(7 * 10**15))
    days = (LAST_DAY - FIRST_DAY).days
    several = range(random.randrange(4))
    row = {
        "flag": random.random() < 0.5,
        "tiny": random.randrange(-128, 128),
        "big": random.choice([0, -1, 2**63 - 1, -(2**63), random.randrange(-(2**62), 2**62)]),
        "real": random.choice([0.5, -1.25, 3.0e38, 1.0e-30, float("inf"), float("nan")]),
        "double": random.choice([0.1, -0.0, 1e308, 5e-324, float("-inf"), float("nan"), 1 / 3]),
        "price": Decimal(random.randrange(-(10**18) + 1, 10**18)).scaleb(-4),
        "wide": Decimal(random.randrange(-(10**37), 10**37)).scaleb(-10, Context(prec=50)),
        "text": texts[number] if number < len(texts) else text(),
        "Name With Blank": text(),
        "day": FIRST_DAY + timedelta(days=random.randrange(days)),
        "at": moment.replace(tzinfo=UTC),
        "local": moment,
        "bytes": random.randbytes(random.randrange(6)),
        "numbers": [maybe(random.randrange(100)) for _ in several],
        "words": [maybe(text()) for _ in several],
        "counts": [(text() + str(i), maybe(i)) for i in several],
        "pair": pair(),
        "pairs": [pair() for _ in several],
    }
    return {"id": number, **{name: maybe(value) for name, value in row.items()}}


def round_trip(
    lake: headwater.Connection, rows: pyarrow.Table, kind: str, write: str, read: str
) -> None:
    """Write, read, compare."""
    lake.session.state.spark().create_view("written", rows)
    folder = uuid.uuid4().hex
    lake.sql(
        f"COPY INTO VOLUME v SUBDIRECTORY '{folder}' FROM ({WRITTEN})"
        f" FILE_FORMAT = (TYPE = {kind} {write})"
    )
    options = f"OPTIONS({read})" if read else ""
    lake.sql(f"COPY OVERWRITE target FROM VOLUME v USING {kind} {options} SUBDIRECTORY '{folder}'")
    expected = lake.sql(f"{WRITTEN} ORDER BY id").rows
    found = lake.sql("SELECT * FROM target ORDER BY id").rows
    names = SCHEMA.names
    for before, after in zip(expected, found, strict=False):
        for name, one, other in zip(names, before, after, strict=True):
            if kind == "CSV" and isinstance(one, datetime):
                # Times stand in CSV as clocks show them: the hour that comes twice a year is once.
                one = one.replace(fold=0)
            assert repr(one) == repr(other), f"row {before[0]}, column {name}"
    assert len(expected) == len(found)


@pytest.mark.parametrize("options", CSV)
@few
@given(seed=st.integers(0, 2**32))
@example(seed=0)
def test_csv(lake: headwater.Connection, options: str, seed: int) -> None:
    write, read = CSV[options]
    texts = [*ONE_LINE, *(SEVERAL_LINES if "multiLine" in write else [])]
    round_trip(lake, batch(seed, texts=texts), "CSV", write, read)


@pytest.mark.parametrize("options", OTHERS)
@few
@given(seed=st.integers(0, 2**32))
@example(seed=0)
def test_formats_that_know_types(lake: headwater.Connection, options: str, seed: int) -> None:
    kind, write, read = OTHERS[options]
    texts = [*ONE_LINE, *SEVERAL_LINES]
    round_trip(lake, batch(seed, texts=texts), kind, write, read)


@few
@given(seed=st.integers(0, 2**32))
@example(seed=0)
def test_text(lake: headwater.Connection, seed: int) -> None:
    lines = [t or "" for t in batch(seed, texts=ONE_LINE)["text"].to_pylist()]
    lake.session.state.spark().create_view("written", pyarrow.table({"line": lines}))
    folder = uuid.uuid4().hex
    lake.sql(
        f"COPY INTO VOLUME v SUBDIRECTORY '{folder}' FROM (SELECT line FROM written)"
        " FILE_FORMAT = (TYPE = TEXT compression = 'gzip')"
    )
    lake.sql("CREATE TABLE IF NOT EXISTS lines (line STRING)")
    lake.sql(
        "COPY OVERWRITE lines FROM VOLUME v USING TEXT OPTIONS('compression' = 'gzip')"
        f" SUBDIRECTORY '{folder}'"
    )
    found = [line for (line,) in lake.sql("SELECT * FROM lines").rows]
    assert sorted(found) == sorted(lines)


@pytest.mark.parametrize("kind", ["CSV", "JSON", "PARQUET"])
def test_rows_of_one_column_that_may_be_null(lake: headwater.Connection, kind: str) -> None:
    lake.sql(f"CREATE TABLE one_{kind} (s STRING); INSERT INTO one_{kind} VALUES ('a'), (NULL)")
    lake.sql(
        f"COPY INTO VOLUME v SUBDIRECTORY 'one_{kind}' FROM one_{kind}"
        f" FILE_FORMAT = (TYPE = {kind})"
    )
    lake.sql(f"COPY INTO one_{kind} FROM VOLUME v USING {kind} SUBDIRECTORY 'one_{kind}'")
    counted = lake.sql(f"SELECT s, count(*) FROM one_{kind} GROUP BY s ORDER BY s")
    assert counted.rows == [(None, 2), ("a", 2)]
