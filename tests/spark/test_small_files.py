"""Many small files load as if each was read alone, also when one of them is broken."""

from __future__ import annotations

import io
from collections.abc import Collection

import pyarrow
import pyarrow.parquet
import pytest
from tests.nightly import often
from tests.spark.places import Place

import headwater
from headwater.statements import copy_into_table

MANY = 250
# What is done about broken files does not depend on where they are.
ON_ONE_STORE = pytest.mark.parametrize("place", often(["local", "s3"], ["local"]), indirect=True)


@pytest.fixture
def mounted(lake: headwater.Connection, place: Place) -> headwater.Connection:
    for path in place.paths():
        place.store.delete_many([path])
    place.mount(lake)
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    return lake


def write(place: Place, *, files: int = MANY, broken: Collection[int] = ()) -> None:
    for number in range(files):
        row = "x,y,z,w" if number in broken else f"{number},name {number}"
        place.write(f"d{number % 3}/f{number:03}.csv", f"id,name\n{row}".encode())


def test_every_file_is_loaded_and_recorded(mounted: headwater.Connection, place: Place) -> None:
    write(place)
    result = mounted.sql("COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true')")
    assert result.message == f"{MANY} rows loaded into public.t from {MANY} files"
    rows = mounted.sql("SELECT id, name FROM t ORDER BY id").rows
    assert rows == [(number, f"name {number}") for number in range(MANY)]
    loaded = mounted.sql("SELECT count(DISTINCT file_path) FROM load_history('t')").rows
    assert loaded == [(MANY,)]


@ON_ONE_STORE
def test_a_broken_file_among_them_is_named(mounted: headwater.Connection, place: Place) -> None:
    write(place, broken=[77])
    with pytest.raises(headwater.UserError, match=r"f077\.csv"):
        mounted.sql("COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true')")
    assert mounted.sql("SELECT count(*) FROM t").rows == [(0,)]
    files = mounted.sql(
        "COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true') ON_ERROR = CONTINUE"
    ).rows
    assert [status for _, status, _, _ in files].count("SUCCESS") == MANY - 1
    assert mounted.sql("SELECT count(*) FROM t").rows == [(MANY - 1,)]


def counted_attempts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows by one with each reading of all files."""
    attempts: list[object] = []
    attempt = copy_into_table._attempt

    def counted(copy: copy_into_table._Copy) -> copy_into_table._Loaded:
        attempts.append(copy)
        return attempt(copy)

    monkeypatch.setattr(copy_into_table, "_attempt", counted)
    return attempts


@ON_ONE_STORE
@pytest.mark.parametrize(
    "source",
    [
        "VOLUME v USING CSV OPTIONS('header' = 'true')",
        "(SELECT id, upper(name) FROM VOLUME v (id INT, name STRING) USING CSV"
        " OPTIONS('header' = 'true'))",
    ],
    ids=["files", "query"],
)
def test_very_many_broken_files_are_found_without_reading_all_for_each(
    mounted: headwater.Connection, place: Place, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = range(0, 60, 9)
    write(place, files=60, broken=broken)
    attempts = counted_attempts(monkeypatch)
    files = mounted.sql(f"COPY INTO t FROM {source} ON_ERROR = CONTINUE").rows
    failed = {path.rpartition("/")[2]: why for path, status, _, why in files if status != "SUCCESS"}
    assert sorted(failed) == [f"f{number:03}.csv" for number in broken]
    assert all("2 values" in why for why in failed.values())
    assert mounted.sql("SELECT count(*) FROM t").rows == [(60 - len(broken),)]
    assert len(attempts) == 4


@ON_ONE_STORE
def test_very_many_files_that_are_no_parquet_are_found_so_too(
    mounted: headwater.Connection, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = range(0, 40, 4)
    for number in range(40):
        sink = io.BytesIO()
        row = {"id": [number], "name": [f"name {number}"]}
        pyarrow.parquet.write_table(pyarrow.table(row), sink)
        content = b"none of it" if number in broken else sink.getvalue()
        place.write(f"f{number:03}.parquet", content)
    attempts = counted_attempts(monkeypatch)
    files = mounted.sql("COPY INTO t FROM VOLUME v USING PARQUET ON_ERROR = CONTINUE").rows
    failed = [path.rpartition("/")[2] for path, status, _, _ in files if status != "SUCCESS"]
    assert failed == [f"f{number:03}.parquet" for number in broken]
    assert mounted.sql("SELECT count(*) FROM t").rows == [(30,)]
    assert len(attempts) == 4
