"""A COPY killed at any point: no file lost, none loaded twice, none deleted before it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher

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
