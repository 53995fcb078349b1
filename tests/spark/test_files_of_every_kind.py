"""Files as they come: each is loaded right, or refused by name with the table as it was."""

from __future__ import annotations

import gzip
import io
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.orc
import pyarrow.parquet
import pytest
from tests.avro_files import avro_file
from tests.nightly import often
from tests.seaweedfs import SeaweedServer, running_seaweedfs
from tests.spark.places import Place, s3_sql, text_literal

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

GOOD = b"1,Ann\n2,Bob\n"
BOM = b"\xef\xbb\xbf"
ROWS = [(1, "Ann"), (2, "Bob")]
# "Within seconds" on a machine that others use too.
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Loading:
    """A lake with the volume `v` over a place."""

    lake: headwater.Connection
    place: Place

    def table(self, columns: str = "id INT, name STRING") -> str:
        """A new table with one row."""
        name = "t" + uuid.uuid4().hex[:8]
        self.lake.sql(f"CREATE TABLE {name} ({columns})")
        return name

    def folder(self, **files: bytes) -> str:
        """A new folder with files; `a_csv` stands for `a.csv`."""
        name = uuid.uuid4().hex[:8]
        for file, content in files.items():
            self.place.write(f"{name}/{file.replace('_', '.')}", content)
        return name

    def copy(self, table: str, folder: str, using: str = "CSV", end: str = "") -> headwater.Result:
        """COPY a folder into a table."""
        return self.lake.sql(
            f"COPY INTO {table} FROM VOLUME v USING {using} SUBDIRECTORY '{folder}' {end}"
        )

    def rows(self, table: str) -> list[tuple[object, ...]]:
        """What is in the table."""
        return sorted(self.lake.sql(f"SELECT * FROM {table}").rows, key=str)

    def version(self, table: str) -> int:
        """The number of its last version."""
        history = self.lake.sql(f"DESC HISTORY {table}")
        return max(int(row[history.columns.index("version")]) for row in history.rows)


@pytest.fixture(scope="module")
def loading(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loading]:
    folder = tmp_path_factory.mktemp("lake") / "lake"
    with headwater.connect(folder) as lake:
        place.mount(lake)
        yield Loading(lake, place)


def parquet(**columns: list[object]) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def orc(table: pyarrow.Table) -> bytes:
    sink = io.BytesIO()
    pyarrow.orc.write_table(table, sink)
    return sink.getvalue()


PEOPLE = pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int32()), "name": ["Ann", "Bob"]})
ORC = orc(PEOPLE)
PARQUET = parquet(id=[1, 2], name=["Ann", "Bob"])
PERSON = (("id", "int"), ("name", "string"))
AVRO = avro_file(PERSON, *ROWS)
# Many different lines, so that a cut stream has lost something.
LONG = b"".join(b"%d,%s\n" % (i, uuid.uuid4().hex.encode()) for i in range(5000))

RIGHT = {
    "plain": ("CSV", GOOD),
    "without the last line's end": ("CSV", GOOD.rstrip()),
    "lines of Windows": ("CSV", b"1,Ann\r\n2,Bob\r\n"),
    "a mark at the start": ("CSV", BOM + GOOD),
    "a mark and a header": ("CSV OPTIONS('header' = 'true')", BOM + b"id,name\n" + GOOD),
    "empty lines between": ("CSV", b"1,Ann\n\n2,Bob\n\n"),
    "two gzip streams in one": (
        "CSV OPTIONS('compression' = 'gzip')",
        gzip.compress(b"1,Ann\n") + gzip.compress(b"2,Bob\n"),
    ),
    "zlib": ("CSV OPTIONS('compression' = 'zlib')", zlib.compress(GOOD)),
    "zstd": (
        "CSV OPTIONS('compression' = 'zstd')",
        pyarrow.compress(GOOD, "zstd", asbytes=True),
    ),
    "JSON": ("JSON", b'{"id": 1, "name": "Ann"}\n{"id": 2, "name": "Bob"}'),
    "JSON with a mark": ("JSON", BOM + b'{"id": 1, "name": "Ann"}\n{"id": 2, "name": "Bob"}\n'),
    "an array with a mark": ("JSON", BOM + b'[{"id": 1, "name": "Ann"},\n{"id": 2, "name":"Bob"}]'),
    "JSON after empty lines": ("JSON", b'\n\n{"id": 1, "name": "Ann"}\n\n{"id": 2, "name": "Bob"}'),
    "Parquet": ("PARQUET", PARQUET),
    "ORC": ("ORC", ORC),
    "Avro": ("AVRO", AVRO),
    "Avro, packed": ("AVRO", avro_file(PERSON, *ROWS, deflate=True)),
}
EMPTY = {
    "0 bytes": ("CSV", b""),
    "0 bytes of JSON": ("JSON", b""),
    "only line ends": ("CSV", b"\n\n\n"),
    "only a mark": ("CSV", BOM),
    "only a header": ("CSV OPTIONS('header' = 'true')", b"id,name\n"),
    "an empty gzip": ("CSV OPTIONS('compression' = 'gzip')", gzip.compress(b"")),
    "an empty array": ("JSON", b"[]"),
    "Parquet without rows": ("PARQUET", parquet(id=[], name=[])),
    "ORC without rows": ("ORC", orc(PEOPLE.slice(0, 0))),
    "Avro without rows": ("AVRO", avro_file(PERSON)),
}
WRONG = {
    "Parquet as CSV": ("CSV", PARQUET),
    "CSV as Parquet": ("PARQUET", GOOD),
    "CSV as ORC": ("ORC", GOOD),
    "0 bytes as ORC": ("ORC", b""),
    "ORC cut in the middle": ("ORC", ORC[: len(ORC) // 2]),
    "ORC cut at its end": ("ORC", ORC[:-3]),
    "CSV as Avro": ("AVRO", GOOD),
    "0 bytes as Avro": ("AVRO", b""),
    "Avro cut in its header": ("AVRO", AVRO[:20]),
    "Avro cut in the middle": ("AVRO", AVRO[:-20]),
    "CSV as JSON": ("JSON", b"Ann,1\nBob,2\n"),
    "0 bytes as Parquet": ("PARQUET", b""),
    "Parquet cut in the middle": ("PARQUET", PARQUET[: len(PARQUET) // 2]),
    "Parquet cut at its end": ("PARQUET", PARQUET[:-3]),
    "JSON cut in the middle": ("JSON", b'{"id": 1, "name": "Ann"}\n{"id": 2, "na'),
    "an array cut in the middle": ("JSON", b'[\n{"id": 1, "name": "Ann"},\n{"id": 2, "na'),
    "gzip cut in the middle": (
        "CSV OPTIONS('compression' = 'gzip')",
        gzip.compress(LONG)[:-2000],
    ),
    "zlib cut in the middle": (
        "CSV OPTIONS('compression' = 'zlib')",
        zlib.compress(LONG)[:-2000],
    ),
    "zstd cut in the middle": (
        "CSV OPTIONS('compression' = 'zstd')",
        pyarrow.compress(LONG, "zstd", asbytes=True)[:-2000],
    ),
    "plain as gzip": ("CSV OPTIONS('compression' = 'gzip')", GOOD),
    "plain as zlib": ("CSV OPTIONS('compression' = 'zlib')", GOOD),
    "plain as zstd": ("CSV OPTIONS('compression' = 'zstd')", GOOD),
    "gzip as plain": ("CSV", gzip.compress(GOOD)),
    "zstd as gzip": (
        "CSV OPTIONS('compression' = 'gzip')",
        pyarrow.compress(GOOD, "zstd", asbytes=True),
    ),
    "Latin-1": ("CSV", "1,Ann\n2,Zoë\n".encode("latin-1")),
    "UTF-8 and Latin-1 mixed": ("CSV", "1,Zoë\n".encode() + "2,Zoë\n".encode("latin-1")),
    "UTF-16": ("CSV", "1,Ann\n2,Bob\n".encode("utf-16")),
    "JSON in Latin-1": ("JSON", '{"id": 1, "name": "Zoë"}\n'.encode("latin-1")),
    "a row too short": ("CSV", b"1,Ann\n2\n"),
    "a row too long": ("CSV", b"1,Ann\n2,Bob,more\n"),
    "a text where a number belongs": ("CSV", b"1,Ann\ntwo,Bob\n"),
    "a number too large": ("CSV", b"1,Ann\n99999999999,Bob\n"),
    "bytes of all kinds": ("CSV", bytes(range(256)) * 10),
}


def on_stores(kinds: Iterable[str], *on_s3: str) -> Any:
    """Each kind on local disk; on S3 those read in ways of their own, the others nightly."""
    local, s3 = [("local", kind) for kind in kinds], [("s3", kind) for kind in kinds]
    cases = often(local + s3, [*local, *(("s3", kind) for kind in on_s3)])
    return pytest.mark.parametrize(("place", "what"), cases, indirect=["place"], scope="module")


@on_stores(RIGHT, "plain", "zstd", "an array with a mark", "Parquet")
def test_a_good_file_is_loaded(loading: Loading, what: str) -> None:
    using, content = RIGHT[what]
    table = loading.table()
    loading.copy(table, loading.folder(a_dat=content), using)
    assert loading.rows(table) == ROWS


@on_stores(["Avro files that differ"], "Avro files that differ")
def test_columns_of_avro_files_are_merged_and_found_by_name(loading: Loading, what: str) -> None:
    folder = loading.folder(
        a_avro=avro_file((("name", "string"), ("id", "int")), ("Ann", 1), (None, 2)),
        b_avro=avro_file((("id", "int"), ("age", "long")), (3, 1 << 40)),
    )
    read = f"FROM VOLUME v USING AVRO SUBDIRECTORY '{folder}'"
    found = loading.lake.sql(f"SELECT id, name, age {read} ORDER BY id")
    assert found.rows == [(1, "Ann", None), (2, None, None), (3, None, 1 << 40)]
    table = loading.table("AGE BIGINT, id BIGINT, more STRING")
    loading.lake.sql(f"COPY INTO {table} {read}")
    assert loading.rows(table) == [(1 << 40, 3, None), (None, 1, None), (None, 2, None)]
    with pytest.raises(headwater.Error, match="COPY_NO_COLUMN_FITS"):
        loading.lake.sql(f"COPY INTO {loading.table('other INT')} {read}")


@on_stores(["ORC files that differ"])
def test_columns_of_orc_files_are_found_by_name(loading: Loading, what: str) -> None:
    folder = loading.folder(
        a_orc=orc(pyarrow.table({"name": ["Ann"], "ID": [1], "other": [True]})),
        b_orc=orc(pyarrow.table({"age": [1 << 40], "id": [3]})),
    )
    table = loading.table("age BIGINT, id BIGINT, name STRING, more STRING")
    loading.copy(table, folder, "ORC")
    assert loading.rows(table) == [(1 << 40, 3, None, None), (None, 1, "Ann", None)]


DAMAGED = "\N{REPLACEMENT CHARACTER}"
"""The character that stands for what is not UTF-8 may also be meant."""
MEANT = {
    "CSV": ("CSV", f"1,Ann\n2,{DAMAGED}\n".encode()),
    "CSV over lines": ("CSV OPTIONS('multiLine' = 'true')", f'1,Ann\n2,"{DAMAGED}"\n'.encode()),
    "gzip": (
        "CSV OPTIONS('compression' = 'gzip')",
        gzip.compress(f"1,Ann\n2,{DAMAGED}\n".encode()),
    ),
    "JSON": ("JSON", f'{{"id": 1, "name": "Ann"}}\n{{"id": 2, "name": "{DAMAGED}"}}'.encode()),
    "JSON, escaped": ("JSON", b'{"id": 1, "name": "Ann"}\n{"id": 2, "name": "\\ufffd"}'),
}


@on_stores(MEANT, "gzip")
def test_the_character_that_stands_for_damage_is_one_like_others(
    loading: Loading, what: str
) -> None:
    using, content = MEANT[what]
    table = loading.table()
    folder = loading.folder(a_dat=content)
    loading.copy(table, folder, using)
    assert loading.rows(table) == [(1, "Ann"), (2, DAMAGED)]
    columns = "(id INT, name STRING)"
    query = f"SELECT name FROM VOLUME v {columns} USING {using} SUBDIRECTORY '{folder}'"
    assert sorted(loading.lake.sql(query).rows) == [("Ann",), (DAMAGED,)]


@on_stores(["lines"])
def test_lines_are_told_apart_from_damaged_ones_by_their_bytes(loading: Loading, what: str) -> None:
    table = loading.table("line STRING")
    with pytest.raises(headwater.Error, match=r"a\.dat' .*: it is not UTF-8"):
        loading.copy(table, loading.folder(a_dat="Zoë\n".encode("latin-1")), "TEXT")
    loading.copy(table, loading.folder(a_dat=f"{DAMAGED}\n".encode()), "TEXT")
    assert loading.rows(table) == [(DAMAGED,)]


@on_stores(["beside a damaged file"])
def test_who_holds_that_character_does_not_hide_who_is_damaged(loading: Loading, what: str) -> None:
    table = loading.table()
    folder = loading.folder(
        a_csv=f"1,{DAMAGED}\n".encode(), b_csv="2,Zoë\n".encode("latin-1"), c_csv=GOOD
    )
    with pytest.raises(headwater.Error, match=r"b\.csv' .*: it is not UTF-8"):
        loading.copy(table, folder)
    result = loading.copy(table, folder, end="ON_ERROR = CONTINUE")
    assert [row[1] for row in result.rows] == ["SUCCESS", "LOADED_FAILED", "SUCCESS"]
    assert loading.rows(table) == [(1, "Ann"), (1, DAMAGED), (2, "Bob")]


@on_stores(EMPTY, "0 bytes")
def test_a_file_without_rows_adds_none(loading: Loading, what: str) -> None:
    using, content = EMPTY[what]
    table = loading.table()
    result = loading.copy(table, loading.folder(a_dat=content), using)
    assert "0 rows loaded" in result.message
    assert loading.rows(table) == []


@on_stores(WRONG, "CSV as Parquet", "gzip cut in the middle", "plain as zstd", "a row too long")
def test_a_bad_file_is_named_and_the_table_stays_as_it_was(loading: Loading, what: str) -> None:
    using, content = WRONG[what]
    table = loading.table()
    folder = loading.folder(a_dat=content)
    before = loading.version(table)
    with pytest.raises(headwater.Error) as caught:
        loading.copy(table, folder, using)
    assert caught.value.condition == "FILE_UNREADABLE", str(caught.value)
    assert f"'{folder}/a.dat'" in caught.value.message
    assert "org.apache" not in str(caught.value)
    assert "\n" not in caught.value.message
    assert (loading.version(table), loading.rows(table)) == (before, [])


@on_stores(
    ["gzip as plain", "Parquet cut at its end", "plain as zstd", "JSON cut in the middle"],
    "Parquet cut at its end",
)
def test_a_bad_file_is_left_out_where_that_is_wanted(loading: Loading, what: str) -> None:
    using, content = WRONG[what]
    good = next(c for kind, c in RIGHT.values() if kind == using)
    table = loading.table()
    folder = loading.folder(a_dat=content, b_dat=good, c_dat=content)
    found = loading.copy(table, folder, using, "PURGE = TRUE ON_ERROR = CONTINUE").rows
    assert [row[1] for row in found] == ["LOADED_FAILED", "SUCCESS", "LOADED_FAILED"]
    assert [row[2] for row in found] == [0, 2, 0]
    assert all(row[3] for row in found if row[1] != "SUCCESS")
    assert loading.rows(table) == ROWS
    assert loading.place.paths(folder + "/") == [f"{folder}/a.dat", f"{folder}/c.dat"]


def test_a_good_file_beside_a_bad_one_is_not_half_loaded(loading: Loading) -> None:
    table = loading.table()
    loading.copy(table, loading.folder(a_csv=GOOD))
    before = loading.version(table)
    folder = loading.folder(a_csv=LONG, b_csv=b"x,y\n", c_csv=LONG)
    with pytest.raises(headwater.Error, match=f"{folder}/b.csv"):
        loading.copy(table, folder, end="PURGE = TRUE")
    assert (loading.version(table), loading.rows(table)) == (before, ROWS)
    assert len(loading.place.paths(folder + "/")) == 3


NAMES = [
    *("with space.csv", " leading.csv", "trailing.csv ", "100%.csv", "a%20b.csv", "a%2Fb.csv"),
    *("a#b.csv", "a+b.csv", "it's.csv", 'say "x".csv', "Zoë-表.csv", "e\u0301.csv"),
    *("a?b.csv", "a*b.csv", "[a-z].csv", "{a,b}.csv", "a:b.csv", "12:30:00.csv", "a=b&c.csv"),
    *("$x.csv", "~x.csv", "a;b.csv", "a|b.csv", "a`b.csv", "a\\b.csv", "a\tb.csv"),
    *("line\nbreak.csv", "_hidden.csv", ".hidden.csv", "no ending", "a.csv.", "...csv"),
    *("day=1/a.csv", "x:y/a.csv", "[x]/a.csv", "_folder/a.csv", ".folder/a.csv", "a b/c d.csv"),
    *("'); DROP TABLE t; --.csv", "${env:HOME}.csv", "$(id).csv"),
    "x" * 200 + ".csv",
]


def test_files_are_read_whatever_they_are_called(loading: Loading) -> None:
    folder = uuid.uuid4().hex[:8]
    # SeaweedFS takes a backslash for a slash.
    names = [name for name in NAMES if loading.place.kind == "local" or "\\" not in name]
    for number, name in enumerate(names):
        loading.place.write(f"{folder}/{name}", b"%d,x\n" % number)
    table = loading.table()
    files = ", ".join(text_literal(f"{folder}/{name}") for name in names)
    result = loading.lake.sql(
        f"COPY INTO {table} FROM VOLUME v USING CSV FILES({files}) PURGE = TRUE ON_ERROR = ABORT"
    )
    assert {(row[1], row[2]) for row in result.rows} == {("SUCCESS", 1)}
    assert len(result.rows) == len(names)
    assert loading.rows(table) == sorted(((n, "x") for n in range(len(names))), key=str)
    history = loading.lake.sql(f"SELECT file_path FROM load_history('{table}')").rows
    assert {path for (path,) in history} == {row[0] for row in result.rows}
    # what was loaded is gone, under its own name and no other
    assert loading.place.paths(folder + "/") == []


@on_stores(
    ["a b.csv", "a%20b.csv", "it's.csv", "Zoë.csv", "[a-z]*.csv", "a:b.csv", "_a.csv", "a\nb.csv"],
    "a%20b.csv",
    "[a-z]*.csv",
)
def test_a_bad_file_is_named_whatever_it_is_called(loading: Loading, what: str) -> None:
    folder = uuid.uuid4().hex[:8]
    loading.place.write(f"{folder}/{what}", b"x,y\n")
    table = loading.table()
    file = text_literal(f"{folder}/{what}")
    with pytest.raises(headwater.Error) as caught:
        loading.lake.sql(f"COPY INTO {table} FROM VOLUME v USING CSV FILES({file})")
    assert caught.value.condition == "FILE_UNREADABLE", str(caught.value)


# Slow, and where the file is makes no difference: on one kind of store.
@pytest.mark.parametrize("place", ["local"], indirect=True, scope="module")
def test_ten_thousand_columns(loading: Loading) -> None:
    width = 10_000
    lines = [",".join(f"c{i}" for i in range(width)), ",".join(map(str, range(width)))]
    folder = loading.folder(a_csv="\n".join(lines).encode())
    start = time.monotonic()
    found = loading.lake.sql(
        "SELECT c0, c9999 FROM VOLUME v USING CSV OPTIONS('header' = 'true')"
        f" SUBDIRECTORY '{folder}'"
    )
    assert found.rows == [(0, 9999)]
    print(f"10,000 columns: {time.monotonic() - start:.1f} s")


def test_too_many_columns_for_the_table_are_refused(loading: Loading) -> None:
    table = loading.table()
    folder = loading.folder(a_csv=b",".join([b"1"] * 10_000))
    with pytest.raises(headwater.Error, match=f"{folder}/a.csv"):
        loading.copy(table, folder)


class TestStoresThatCannotBeReached:
    """A clear error within seconds."""

    @pytest.fixture
    def lake(self, tmp_path: object) -> Iterator[headwater.Connection]:
        with headwater.connect(f"{tmp_path}/lake") as lake:
            lake.sql("CREATE TABLE t (id INT, name STRING)")
            yield lake

    def fails(self, lake: headwater.Connection, sql: str) -> headwater.Error:
        start = time.monotonic()
        with pytest.raises(headwater.Error) as caught:
            lake.sql(sql)
        assert time.monotonic() - start < SECONDS
        assert "org.apache" not in str(caught.value)
        assert "Traceback" not in str(caught.value)
        return caught.value

    STATEMENTS = (
        "SELECT * FROM VOLUME v USING CSV FILES('a.csv')",
        "SELECT * FROM VOLUME v USING CSV SUBDIRECTORY 'x'",
        "COPY INTO t FROM VOLUME v USING CSV",
        "COPY INTO VOLUME v SUBDIRECTORY 'out' FROM TABLE t",
    )

    def mount(self, lake: headwater.Connection, keys: str, bucket: str) -> None:
        lake.sql(f"CREATE STORAGE CONNECTION c {keys}")
        lake.sql(
            f"CREATE EXTERNAL VOLUME v LOCATION 's3://{bucket}/data/' USING CONNECTION c"
            " DIRECTORY = (ENABLE = FALSE)"
        )

    def test_wrong_keys(self, lake: headwater.Connection, seaweedfs: SeaweedServer) -> None:
        secret = "not-the-secret"
        keys = s3_sql(seaweedfs.connection, secret=secret)
        self.mount(lake, keys, seaweedfs.create_bucket())
        for sql in self.STATEMENTS:
            error = self.fails(lake, sql)
            assert error.condition == "STORAGE_DENIED", str(error)
            assert secret not in str(error)

    def test_no_such_bucket(self, lake: headwater.Connection, seaweedfs: SeaweedServer) -> None:
        self.mount(lake, s3_sql(seaweedfs.connection), "no-such-bucket")
        for sql in self.STATEMENTS:
            error = self.fails(lake, sql)
            assert "no-such-bucket" in str(error), str(error)

    def test_a_server_that_is_gone(self, lake: headwater.Connection) -> None:
        with running_seaweedfs() as server:
            self.mount(lake, s3_sql(server.connection), server.create_bucket())
            lake.sql("COPY INTO VOLUME v SUBDIRECTORY 'x' FROM (SELECT 1, 'a')")
            assert len(lake.sql("SELECT * FROM VOLUME v USING CSV SUBDIRECTORY 'x'").rows) == 1
        for sql in self.STATEMENTS:
            error = self.fails(lake, sql)
            assert error.condition == "STORE_UNREACHABLE", str(error)
