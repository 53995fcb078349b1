"""SIGKILL around the commit that consumes a stream: no change is lost, none comes twice."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import headwater
from tests.crash.crashing import Crasher
from tests.nightly import often

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(180)]

PREPARE = """
CREATE TABLE src (id INT);
CREATE TABLE STREAM s ON TABLE src WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
CREATE TABLE target (id INT);
INSERT INTO src VALUES (1);
INSERT INTO target SELECT id FROM s;
INSERT INTO src VALUES (2), (3)
"""
INSERT = "INSERT INTO target SELECT id FROM s"
MERGE = (
    "MERGE INTO target USING s ON target.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
)
COPY = "COPY INTO target FROM (SELECT id FROM s)"
BEFORE = ("consume.claimed", "commit.before")
AFTER = ("commit.after_delta", "consume.committed")


def consumed(connection: headwater.Connection) -> bool:
    return connection.sql("SELECT count(*) FROM s").rows == [(0,)]


def settle(connection: headwater.Connection) -> list[int]:
    """Consume what is left, twice, and say what the target holds."""
    for _ in range(2):
        connection.sql(INSERT)
    assert consumed(connection)
    return [row[0] for row in connection.sql("SELECT id FROM target ORDER BY id")]


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        *((place, INSERT) for place in (*BEFORE, *AFTER)),
        *((place, COPY) for place in ("commit.before", "commit.after_delta")),
        *(pytest.param(place, MERGE, marks=pytest.mark.nightly) for place in (*BEFORE, *AFTER)),
    ],
)
def test_a_killed_consumer_consumed_exactly_if_it_committed(
    tmp_path: Path, crasher: Crasher, place: str, statement: str
) -> None:
    crasher.crash(tmp_path, PREPARE, statement, at=place)
    with headwater.connect(tmp_path) as connection:
        assert consumed(connection) == (place in AFTER)
        assert settle(connection) == [1, 2, 3]


WATCHED = """
CREATE STORAGE CONNECTION c TYPE FILE;
CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION c
  DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE;
CREATE STREAM s ON VOLUME v;
CREATE TABLE target (path STRING, seen INT);
PUT '{file}' TO VOLUME v
"""
# A change that comes twice is seen in the count.
COUNT_FILES = (
    "MERGE INTO target t USING s ON t.path = s.relative_path"
    " WHEN MATCHED THEN UPDATE SET seen = t.seen + 1"
    " WHEN NOT MATCHED THEN INSERT (path, seen) VALUES (s.relative_path, 1)"
)


@pytest.mark.parametrize("place", often([*BEFORE, *AFTER], ["commit.before", "commit.after_delta"]))
def test_a_killed_consumer_of_a_volume_consumed_exactly_if_it_committed(
    tmp_path: Path, crasher: Crasher, place: str
) -> None:
    """A file that comes while nobody looks is no part of what was consumed."""
    folder, first = tmp_path / "files", tmp_path / "a.txt"
    folder.mkdir()
    first.write_text("a")
    prepare = WATCHED.format(folder=folder, file=first)
    crasher.crash(tmp_path / "lake", prepare, COUNT_FILES, at=place)
    (folder / "b.txt").write_text("b")
    with headwater.connect(tmp_path / "lake") as connection:
        shown = [("INSERT", "a.txt"), ("INSERT", "b.txt")][place in AFTER :]
        seen = "SELECT __change_type, relative_path FROM s ORDER BY relative_path"
        assert connection.sql(seen).rows == shown
        for _ in range(2):
            connection.sql(COUNT_FILES)
        assert consumed(connection)
        counted = connection.sql("SELECT path, seen FROM target ORDER BY path").rows
        assert counted == [("a.txt", 1), ("b.txt", 1)]


@pytest.mark.parametrize(
    "place",
    [pytest.param("consume.claimed", marks=pytest.mark.nightly), "commit.after_delta"],
)
def test_a_killed_refresh_consumed_exactly_if_it_committed(
    tmp_path: Path, crasher: Crasher, place: str
) -> None:
    prepare = f"{PREPARE}; CREATE DYNAMIC TABLE d AS SELECT id FROM s"
    crasher.crash(tmp_path, prepare, "REFRESH DYNAMIC TABLE d", at=place)
    with headwater.connect(tmp_path) as connection:
        committed = place in AFTER
        assert consumed(connection) == committed
        states = [row[7] for row in connection.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d")]
        assert states == ["SUCCEED" if committed else "FAILED"]
        for _ in range(2):
            connection.sql("REFRESH DYNAMIC TABLE d")
        assert consumed(connection)
        assert connection.sql("SELECT id FROM d ORDER BY id").rows == [(2,), (3,)]


@pytest.mark.parametrize("place", ["create.after_intent", "create.after_delta"])
def test_a_killed_create_table_as_consumed_exactly_if_its_table_is_there(
    tmp_path: Path, crasher: Crasher, place: str
) -> None:
    crasher.crash(tmp_path, PREPARE, "CREATE TABLE made AS SELECT id FROM s", at=place)
    with headwater.connect(tmp_path) as connection:
        made = [row[1] for row in connection.sql("SHOW TABLES LIKE 'made'")]
        assert bool(made) == (place == "create.after_delta")
        assert consumed(connection) == bool(made)
        rest = connection.sql("SELECT id FROM made").rows if made else []
        assert settle(connection) + [row[0] for row in rest] == (
            [1, *sorted(row[0] for row in rest)] if made else [1, 2, 3]
        )


def test_a_killed_consumer_of_nothing_leaves_the_stream_usable(
    tmp_path: Path, crasher: Crasher
) -> None:
    nothing = "UPDATE target SET id = 9 WHERE id IN (SELECT id FROM s WHERE id = 77)"
    crasher.crash(tmp_path, PREPARE, nothing, at="consume.claimed")
    with headwater.connect(tmp_path) as connection:
        assert not consumed(connection)
        assert settle(connection) == [1, 2, 3]


LEASE = {"lease_seconds": 3}


@pytest.mark.parametrize(
    "statement", often([INSERT, "CREATE TABLE made AS SELECT id FROM s"], [INSERT])
)
def test_a_consumer_on_another_host_that_was_taken_for_dead_commits_nothing(
    tmp_path: Path, crasher: Crasher, statement: str
) -> None:
    """It has written its files and stands still, others consume the same changes, it wakes up."""
    frozen = crasher.freeze(
        tmp_path, statement, at="commit.fence", prepare=PREPARE, host="elsewhere", **LEASE
    )
    silent = 2 * LEASE["lease_seconds"]
    time.sleep(silent + 0.5)
    with headwater.connect(tmp_path, **LEASE) as connection:
        assert connection.sql(INSERT).rowcount == 2
        assert consumed(connection)
    assert "LEASE_LOST" in crasher.resume_to_fail(frozen)
    with headwater.connect(tmp_path, **LEASE) as connection:
        assert settle(connection) == [1, 2, 3]
        assert connection.sql("SHOW TABLES LIKE 'made'").rows == []
        assert "FAILED" in {
            row["status"]
            for row in connection.sql("SHOW JOBS").to_dicts()
            if row["job_text"] == statement
        }
