"""A COPY killed at any point: no file lost, none loaded twice, none deleted before it is loaded."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher
from tests.nightly import often
from tests.spark.places import local_place, s3_place

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(180)]

COPY = "COPY INTO t FROM VOLUME v USING CSV PURGE = TRUE"


def prepared(folder: Path) -> str:
    """Statements that make a table and a volume with two files of two rows in all."""
    for name, text in (("a.csv", "1,x\n"), ("b.csv", "2,y\n")):
        (folder / name).write_text(text)
    return (
        "CREATE TABLE t (id INT, name STRING); CREATE VOLUME v; "
        f"PUT '{folder / 'a.csv'}', '{folder / 'b.csv'}' TO VOLUME v"
    )


def rows(connection: headwater.Connection) -> list[tuple[object, ...]]:
    return sorted(connection.sql("SELECT * FROM t").rows)


def files(connection: headwater.Connection) -> list[str]:
    return [row[0] for row in connection.sql("LIST VOLUME v")]


def history(connection: headwater.Connection) -> list[str]:
    found = connection.sql("SELECT file_path, status FROM LOAD_HISTORY('t')").rows
    return sorted(f"{path.rpartition('/')[2]} {status}" for path, status in found)


@pytest.mark.parametrize("at", ["copy.announced", "commit.before"])
def test_killed_before_the_commit_nothing_happened(
    tmp_path: Path, crasher: Crasher, at: str
) -> None:
    crasher.crash(tmp_path / "lake", prepared(tmp_path), COPY, at=at)
    with headwater.connect(tmp_path / "lake") as connection:
        connection.session.lake.flush_background()
        assert files(connection) == ["a.csv", "b.csv"]
        assert history(connection) == []
        assert rows(connection) == []
        connection.sql(COPY)
        assert rows(connection) == [(1, "x"), (2, "y")]
        assert files(connection) == []


@pytest.mark.parametrize("at", ["commit.after_delta", "copy.confirmed", "copy.purged"])
def test_killed_after_the_commit_it_is_finished_by_the_next_start(
    tmp_path: Path, crasher: Crasher, at: str
) -> None:
    crasher.crash(tmp_path / "lake", prepared(tmp_path), COPY, at=at)
    with headwater.connect(tmp_path / "lake") as connection:
        connection.session.lake.flush_background()
        assert history(connection) == ["a.csv LOADED", "b.csv LOADED"]
        assert files(connection) == []
        assert connection.session.lake.store.load_history.pending_purges() == []
        connection.sql(COPY)
        assert rows(connection) == [(1, "x"), (2, "y")]


def test_a_file_that_was_replaced_after_it_was_read_is_not_deleted(
    tmp_path: Path, crasher: Crasher
) -> None:
    crasher.crash(tmp_path / "lake", prepared(tmp_path), COPY, at="copy.confirmed")
    (replaced,) = (tmp_path / "lake" / "volumes").rglob("a.csv")
    replaced.write_text("3,new\n")
    with headwater.connect(tmp_path / "lake") as connection:
        connection.session.lake.flush_background()
        assert files(connection) == ["a.csv"]
        assert replaced.read_text() == "3,new\n"


EXPORT = "COPY INTO VOLUME out SUBDIRECTORY 'x/' FROM TABLE t FILE_FORMAT = (TYPE = CSV)"


@pytest.mark.parametrize(
    ("kind", "at"),
    often(
        product(["local", "s3"], ["copy_out.written", "copy_out.moved"]),
        [("local", "copy_out.written"), ("s3", "copy_out.moved")],
    ),
)
def test_what_a_killed_export_left_is_removed_by_the_next_start(
    tmp_path: Path, crasher: Crasher, kind: str, at: str, request: pytest.FixtureRequest
) -> None:
    if kind == "s3":
        place = s3_place(request.getfixturevalue("seaweedfs"))
    else:
        place = local_place(tmp_path / "out")
    other = f"x/_temporary_{'0' * 20}/part-1.csv"
    place.write(other, b"of a job of another lake")
    prepare = (
        "CREATE TABLE t (id INT); INSERT INTO t VALUES (1);"
        f"CREATE STORAGE CONNECTION c {place.connection_sql};"
        f"CREATE EXTERNAL VOLUME out LOCATION '{place.location}' USING CONNECTION c"
    )
    crasher.crash(tmp_path / "lake", prepare, EXPORT, at=at)
    assert len([path for path in place.paths("x/") if "/_temporary_" in path]) > 1
    with headwater.connect(tmp_path / "lake") as connection:
        connection.session.lake.flush_background()
        written = [] if at == "copy_out.written" else ["x/part00001.csv"]
        assert place.paths("x/") == sorted([other, *written])


def test_an_export_that_still_runs_keeps_its_folder(tmp_path: Path, crasher: Crasher) -> None:
    """One that stands still; a process that opens the lake meanwhile takes nothing from it."""
    crasher.prepare(tmp_path / "lake", "CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
    export = "COPY INTO USER VOLUME SUBDIRECTORY 'x/' FROM TABLE t FILE_FORMAT = (TYPE = CSV)"
    frozen = crasher.freeze(tmp_path / "lake", export, at="copy_out.written")
    with headwater.connect(tmp_path / "lake") as connection:
        connection.session.lake.flush_background()
    crasher.resume(frozen)
    with headwater.connect(tmp_path / "lake") as connection:
        assert [row[0] for row in connection.sql("LIST USER VOLUME")] == ["x/part00001.csv"]
