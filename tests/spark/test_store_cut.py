"""A real S3 server that goes away while a statement runs: an error soon, nothing half done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.seaweedfs import SeaweedServer
from tests.servers.relay import Relay, running_relay
from tests.spark.places import Place, s3_place

import headwater
from headwater.files import finishing, loads
from headwater.lake import spark_session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

# Spark and our own client each try again for a while, on a machine that others use too.
SECONDS = 60.0
COPY = "COPY INTO t FROM VOLUME v USING CSV SUBDIRECTORY 'in' PURGE = TRUE ON_ERROR = CONTINUE"
EXPORT = "COPY INTO VOLUME v SUBDIRECTORY 'out' FROM t"
READ = "SELECT * FROM VOLUME v (id INT, name STRING) USING CSV SUBDIRECTORY 'out'"


@pytest.fixture
def relay(seaweedfs: SeaweedServer) -> Iterator[Relay]:
    with running_relay(seaweedfs.port) as running:
        yield running


@pytest.fixture
def place(relay: Relay) -> Place:
    """A bucket that is reached through the relay only."""
    return s3_place(SeaweedServer(relay.port))


@pytest.fixture
def lake(place: Place, tmp_path: Path) -> Iterator[headwater.Connection]:
    """With two files of two rows each, and a table of one row."""
    with headwater.connect(tmp_path / "lake") as lake:
        place.mount(lake)
        lake.sql("CREATE TABLE t (id INT, name STRING)")
        lake.sql("INSERT INTO t VALUES (0, 'Eve')")
        place.write("in/a.csv", b"1,Ann\n2,Bob\n")
        place.write("in/b.csv", b"3,Cid\n4,Dan\n")
        yield lake


def cut_at(point: str, relay: Relay) -> Callable[[str], None]:
    return lambda reached: relay.cut() if reached == point else None


@contextmanager
def fails_soon() -> Iterator[None]:
    start = time.monotonic()
    with pytest.raises(headwater.TransientError) as caught:
        yield
    assert caught.value.condition == "STORE_UNREACHABLE", str(caught.value)
    assert "org.apache" not in str(caught.value)
    assert time.monotonic() - start < SECONDS


def count(lake: headwater.Connection) -> object:
    return lake.sql("SELECT count(*) FROM t").rows[0][0]


def test_files_are_not_called_broken_because_their_store_was_away(
    lake: headwater.Connection, place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loads, "reach", cut_at("copy.announced", relay))
    try:
        with fails_soon():
            lake.sql(COPY)
    finally:
        relay.mend()
    monkeypatch.undo()
    assert count(lake) == 1
    assert lake.sql("SELECT * FROM load_history('t')").rows == []
    assert place.paths("in/") == ["in/a.csv", "in/b.csv"]
    assert [row[1:3] for row in lake.sql(COPY).rows] == [("SUCCESS", 2), ("SUCCESS", 2)]
    assert count(lake) == 5
    assert place.paths("in/") == []


def test_an_export_shows_no_file_before_all_are_written(
    lake: headwater.Connection, place: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = spark_session.write_files

    def cut_first(*arguments: object) -> None:
        relay.cut()
        written(*arguments)  # type: ignore[arg-type]

    cuts = (
        (spark_session, "write_files", cut_first),
        (finishing, "reach", cut_at("copy_out.written", relay)),
    )
    for module, name, cutting in cuts:
        monkeypatch.setattr(module, name, cutting)
        try:
            with fails_soon():
                lake.sql(EXPORT)
        finally:
            relay.mend()
        monkeypatch.undo()
        assert lake.sql(READ).rows == []
    lake.sql(EXPORT)
    assert lake.sql(READ).rows == [(0, "Eve")]
