"""PEP 249 where no Spark is needed: cursors, what they forget, and the classes of errors."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.run_lake import LakeRun

_ERRORS = (
    *("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError"),
    *("IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"),
)


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester") as connection:
        connection.sql("CREATE SCHEMA s; CREATE SCHEMA r")
        yield connection
        assert not connection.session.lake.engine.started


@pytest.mark.parametrize("name", _ERRORS)
def test_a_connection_knows_the_errors_of_its_module(name: str) -> None:
    assert getattr(headwater.Connection, name) is getattr(headwater, name)


def test_the_errors_descend_from_each_other_as_pep_249_says() -> None:
    of_the_database = _ERRORS[_ERRORS.index("DataError") :]
    for name in of_the_database:
        assert issubclass(getattr(headwater, name), headwater.DatabaseError), name
    assert issubclass(headwater.DatabaseError, headwater.Error)
    assert issubclass(headwater.InterfaceError, headwater.Error)
    assert not issubclass(headwater.Warning, headwater.Error)


def test_a_cursor_gives_its_rows_one_by_one(lake: headwater.Connection) -> None:
    cursor = lake.cursor().execute("SHOW SCHEMAS")
    assert next(cursor) == ("public",)
    assert cursor.fetchmany(1) == [("r",)]
    assert list(cursor) == [("s",)]
    with pytest.raises(StopIteration):
        next(cursor)
    assert (cursor.fetchone(), cursor.fetchmany(5), cursor.fetchall()) == (None, [], [])


def test_rows_are_described_by_seven_items_and_counted(lake: headwater.Connection) -> None:
    cursor = lake.cursor()
    assert (cursor.description, cursor.rowcount, cursor.arraysize) == (None, -1, 1)
    cursor.execute("SHOW JOBS LIMIT 2")
    assert cursor.rowcount == 2
    described = {item[0]: item[1] for item in cursor.description or []}
    assert [len(item) for item in cursor.description or []] == [7] * 10
    assert described["job_id"] == headwater.STRING
    assert described["start_time"] == headwater.DATETIME
    assert described["execution_time"] == headwater.NUMBER


@pytest.mark.parametrize("wrong", ["SHOW NOTHING", "DESC nope", "CREATE SCHEMA s"])
def test_a_statement_that_fails_leaves_no_rows_of_the_one_before(
    lake: headwater.Connection, wrong: str
) -> None:
    cursor = lake.cursor().execute("SHOW SCHEMAS")
    with pytest.raises(headwater.ProgrammingError):
        cursor.execute(wrong)
    assert (cursor.description, cursor.rowcount) == (None, -1)
    with pytest.raises(headwater.Error, match="returned no rows"):
        cursor.fetchone()


def test_a_statement_without_rows_has_none_to_fetch(lake: headwater.Connection) -> None:
    cursor = lake.cursor().execute("CREATE SCHEMA q")
    assert cursor.description is None
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall, cursor.__next__):
        with pytest.raises(headwater.Error, match="returned no rows"):
            fetch()


def test_no_parameters_at_all_run_nothing(lake: headwater.Connection) -> None:
    cursor = lake.cursor().execute("SHOW SCHEMAS")
    cursor.executemany("DROP SCHEMA ?", [])
    assert (cursor.description, cursor.rowcount) == (None, 0)
    assert ("s",) in lake.sql("SHOW SCHEMAS").rows


def test_what_is_closed_refuses_and_may_be_closed_again(lake: headwater.Connection) -> None:
    cursor = lake.cursor()
    cursor.close()
    cursor.close()
    with pytest.raises(headwater.InterfaceError, match="cursor is closed"):
        cursor.execute("SHOW SCHEMAS")
    other = lake.cursor().execute("SHOW SCHEMAS")
    lake.close()
    lake.close()
    for attempt in (other.fetchone, lake.cursor, lake.commit, lake.rollback):
        with pytest.raises(headwater.InterfaceError, match="connection is closed"):
            attempt()


def test_there_is_nothing_to_roll_back(lake: headwater.Connection) -> None:
    lake.commit()
    with pytest.raises(headwater.NotSupportedError):
        lake.rollback()


def test_of_two_connections_that_run_until_idle_one_waits(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by hand: they ran each other's batches, whose commits failed, and counted failures."""
    at_work = [0]
    together: list[int] = []

    def run(_: LakeRun) -> None:
        at_work[0] += 1
        time.sleep(0.05)
        together.append(at_work[0])
        at_work[0] -= 1

    monkeypatch.setattr(LakeRun, "run_until_idle", run)
    folder = lake.session.lake.folder.path
    with headwater.connect(folder, user="tester") as other:
        threads = [threading.Thread(target=each.run_until_idle) for each in (lake, other, lake)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert together == [1, 1, 1]
