"""Several connections at one stream: one consumes, nothing twice; writers go on meanwhile."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import headwater
from headwater.errors import TransientError
from headwater.streams import table_reading
from headwater.tables import consumption

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

_PREPARE = """
CREATE TABLE src (id INT);
CREATE TABLE STREAM s ON TABLE src WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
CREATE TABLE STREAM other ON TABLE src WITH PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY');
CREATE TABLE a (id INT); CREATE TABLE b (id INT);
INSERT INTO src VALUES (1), (2)
"""


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Path]:
    with headwater.connect(tmp_path) as connection:
        connection.sql(_PREPARE)
        yield tmp_path


def connect(lake: Path) -> headwater.Connection:
    return headwater.connect(lake)


class Gate:
    """Holds the first consumer at a place in its statement until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self._place = place
        monkeypatch.setattr(consumption, "reach", self._reach)

    def _reach(self, place: str) -> None:
        if place == self._place and not self.reached.is_set():
            self.reached.set()
            assert self.opened.wait(60)


def test_of_two_consumers_of_one_stream_one_wins(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch, "consume.claimed")
    with connect(lake) as first, connect(lake) as second, ThreadPoolExecutor(1) as pool:
        winner = pool.submit(first.sql, "INSERT INTO a SELECT id FROM s")
        assert gate.reached.wait(60)
        with pytest.raises(TransientError, match="STREAM_BUSY"):
            second.sql("INSERT INTO b SELECT id FROM s")
        # another stream of the same table is nobody's business
        assert second.sql("INSERT INTO b SELECT id + 10 FROM other").rowcount == 2
        gate.opened.set()
        assert winner.result(60).rowcount == 2
        assert second.sql("INSERT INTO b SELECT id FROM s").rowcount == 0
        both = "SELECT id FROM a UNION ALL SELECT id FROM b ORDER BY id"
        assert [row[0] for row in first.sql(both)] == [1, 2, 11, 12]


def test_a_statement_that_planned_before_another_consumed_is_refused(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have read the offset; the second comes to its commit when the first is done."""
    with connect(lake) as first, connect(lake) as second:
        original = type(second.session.lake.store.streams).claim
        raced = []

        def after_the_other(self: object, *arguments: object, **named: object) -> object:
            if not raced:
                raced.append(True)
                assert first.sql("INSERT INTO a SELECT id FROM s").rowcount == 2
            return original(self, *arguments, **named)  # type: ignore[arg-type]

        streams = type(second.session.lake.store.streams)
        monkeypatch.setattr(streams, "claim", after_the_other)
        with pytest.raises(TransientError, match="STREAM_BUSY"):
            second.sql("INSERT INTO b SELECT id FROM s")
        assert second.sql("SELECT count(*) FROM b").rows == [(0,)]
        assert second.sql("INSERT INTO b SELECT id FROM s").rowcount == 0


def test_what_is_written_while_a_stream_is_read_comes_next(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch, "consume.claimed")
    with connect(lake) as reader, connect(lake) as writer, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(reader.sql, "INSERT INTO a SELECT id FROM s")
        assert gate.reached.wait(60)
        writer.sql("INSERT INTO src VALUES (3)")
        gate.opened.set()
        assert reading.result(60).rowcount == 2
        assert reader.sql("SELECT id FROM s").rows == [(3,)]


def test_consumers_and_writers_at_full_speed_lose_nothing(lake: Path) -> None:
    """A writer adds rows while two consumers move what they get into one table each."""
    rows = 12

    def write() -> None:
        with connect(lake) as connection:
            for number in range(rows):
                connection.sql(f"INSERT INTO src VALUES ({100 + number})")

    def consume(target: str) -> None:
        with connect(lake) as connection:
            for _ in range(rows // 2):
                # the other consumer has it at this moment: its changes are not lost by that
                with contextlib.suppress(TransientError):
                    connection.sql(f"INSERT INTO {target} SELECT id FROM s")

    with ThreadPoolExecutor(3) as pool:
        work = [pool.submit(write), pool.submit(consume, "a"), pool.submit(consume, "b")]
        for one in work:
            one.result(240)
    with connect(lake) as connection:
        connection.sql("INSERT INTO a SELECT id FROM s")
        both = "SELECT id FROM a UNION ALL SELECT id FROM b ORDER BY id"
        expected = [1, 2, *range(100, 100 + rows)]
        assert [row[0] for row in connection.sql(both)] == expected


def test_versions_and_times_are_joined_where_there_are_many(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = "SELECT __change_type, __commit_version, __commit_timestamp, id FROM s ORDER BY id, 1"
    with connect(lake) as connection:
        connection.sql("INSERT INTO a SELECT id FROM s; UPDATE src SET id = 3 WHERE id = 2")
        in_text = connection.sql(shown).rows
        monkeypatch.setattr(table_reading, "MOST_IN_TEXT", 0)
        assert connection.sql(shown).rows == in_text
    assert [(row[0], row[1], row[3]) for row in in_text] == [
        ("UPDATE_BEFORE", 3, 2),
        ("UPDATE_AFTER", 4, 3),
    ]


def test_a_stream_that_was_read_leaves_no_view_behind(lake: Path) -> None:
    with connect(lake) as connection:
        assert len(connection.sql("SELECT a.id FROM s a JOIN s b ON a.id = b.id").rows) == 2
        session = connection.session.state.spark()._session
        # Not catalog.listTables(): with codegen off, as in tests, Spark cannot decode its own rows.
        names = session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
        assert names.isEmpty()
