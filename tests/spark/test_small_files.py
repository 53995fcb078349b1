"""Many small files load as if each was read alone, also when one of them is broken."""

from __future__ import annotations

import pytest
from tests.spark.places import Place

import headwater

MANY = 250


@pytest.fixture
def mounted(lake: headwater.Connection, place: Place) -> headwater.Connection:
    for path in place.paths():
        place.store.delete_many([path])
    place.mount(lake)
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    return lake


def write(place: Place, *, broken: int | None = None) -> None:
    for number in range(MANY):
        row = "x,y,z,w" if number == broken else f"{number},name {number}"
        place.write(f"d{number % 3}/f{number:03}.csv", f"id,name\n{row}".encode())


def test_every_file_is_loaded_and_recorded(mounted: headwater.Connection, place: Place) -> None:
    write(place)
    result = mounted.sql("COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true')")
    assert result.message == f"{MANY} rows loaded into public.t from {MANY} files"
    rows = mounted.sql("SELECT id, name FROM t ORDER BY id").rows
    assert rows == [(number, f"name {number}") for number in range(MANY)]
    loaded = mounted.sql("SELECT count(DISTINCT file_path) FROM load_history('t')").rows
    assert loaded == [(MANY,)]


def test_a_broken_file_among_them_is_named(mounted: headwater.Connection, place: Place) -> None:
    write(place, broken=77)
    with pytest.raises(headwater.UserError, match=r"f077\.csv"):
        mounted.sql("COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true')")
    assert mounted.sql("SELECT count(*) FROM t").rows == [(0,)]
    files = mounted.sql(
        "COPY INTO t FROM VOLUME v USING CSV OPTIONS('header' = 'true') ON_ERROR = CONTINUE"
    ).rows
    assert [status for _, status, _, _ in files].count("SUCCESS") == MANY - 1
    assert mounted.sql("SELECT count(*) FROM t").rows == [(MANY - 1,)]
