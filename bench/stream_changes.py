"""Reading what changed in a table: appended rows, one changed row, nothing at all.

Appended rows are held against Spark's own reading of the same Parquet files. One changed row, and a
history of several statements, are held against Delta's change data feed on a twin of the table
with the same history. The files of the tables have the same size, whatever the table's size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import headwater
from bench.measure import Contender, duel, interleave
from bench.outcome import Findings, Outcome, below, shown, times_rival
from bench.scratch import Scratch
from bench.spark_counters import spark_jobs
from headwater.lake.changes.classify import classify
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.changes.read import ChangedTable, read_changes
from headwater.lake.delta_log.files import LocalLogFiles
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import columns_of
from headwater.lake.spark_session import SparkConnection

MOST_TIMES = 1.2
MOST_SECONDS_UNCHANGED = 0.030
MOST_TIMES_LARGER = 2.0
_APPENDED = 1_000_000
_APPENDS = 4
_SIZES = (100_000, 1_000_000, 10_000_000)
_ROWS_PER_FILE = 100_000
_ROUNDS = 12
_WARM_UPS = 3
# A statement goes through more code, which the JVM compiles only after some calls.
_WARM_UPS_OF_A_STATEMENT = 10
_SECONDS = 40.0
_ROW = "id, id % 1000 AS k, concat('name ', id) AS name, id / 7 AS amount"
_HISTORY = 8


@dataclass(frozen=True)
class Table:
    """A table at a path, and how its changes are read here and by Delta's feed."""

    spark: SparkConnection
    session: Any
    folder: Path
    names: Iterator[int]

    @property
    def sql(self) -> str:
        """Its name for Spark."""
        return f"delta.`{self.folder}`"

    @property
    def files(self) -> LocalLogFiles:
        """Its log."""
        return LocalLogFiles(self.folder)

    @property
    def newest(self) -> int:
        """Its version."""
        return self.files.list_commits()[-1]

    def read(self, start: int, wanted: Wanted = Wanted.NET) -> None:
        """Read the changes since a version to the last row, and throw them away."""
        newest = self.newest
        metadata = read_metadata(self.files, newest)
        assert metadata is not None
        found = read_changes(
            self.spark,
            ChangedTable(str(self.folder), columns_of(metadata.schema)),
            ChangeRange(start, newest),
            wanted,
            new_view=lambda: f"changes_{next(self.names)}",
        )
        _throw_away(self.session.sql(f"SELECT * FROM {found.sql}"))
        for view in found.views:
            self.spark.drop_view(view)

    def feed(self, start: int) -> None:
        """The same through Delta's change data feed."""
        options = {"readChangeFeed": "true", "startingVersion": str(start + 1)}
        _throw_away(self.session.read.format("delta").options(**options).load(str(self.folder)))


def run(scratch: Scratch) -> Findings:
    """Measure every case."""
    outcomes = [_through_a_stream(scratch)]
    with _session(scratch) as make:
        outcomes.append(_appended(scratch, make("appended")))
        outcomes += _one_row(scratch, make)
        outcomes.append(_history(scratch, make))
        outcomes += _unchanged(scratch, make("unchanged"))
    return Findings(tuple(outcomes))


def _through_a_stream(scratch: Scratch) -> Outcome:
    """Every value of every row, with what happened to it and when, as a statement."""
    scratch.say(f"a stream of {_APPENDED:,} rows in {_APPENDS} commits")
    with closing(headwater.connect(scratch.folder / "streams")) as connection:
        connection.sql("CREATE TABLE t (id BIGINT, k BIGINT, name STRING, amount DOUBLE)")
        connection.sql(
            "CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
        )
        table = connection.session.lake.store.tables.get("headwater", "public", "t")
        assert table is not None
        files = LocalLogFiles(connection.session.lake.location(table))
        start = files.list_commits()[-1]
        for part in range(_APPENDS):
            rows = f"range({part * _APPENDED}, {part * _APPENDED + _APPENDED // _APPENDS})"
            connection.sql(f"INSERT INTO t SELECT {_ROW} FROM {rows}")
        found = classify(files, ChangeRange(start, files.list_commits()[-1]), Wanted.NET)
        paths = [f"{files.table}/{path}" for commit in found.added.values() for path in commit]
        session = connection.session.state.spark()._session
        session.read.parquet(*paths).createOrReplaceTempView("their_files")
        values = "count(*), sum(id), sum(k), max(name), sum(amount)"
        ours = f"SELECT {values}, max(__commit_version), max(__commit_timestamp) FROM s"
        measured = duel(
            Contender("stream", lambda: connection.sql(ours).rows),
            Contender(
                "spark.read",
                lambda: session.sql(f"SELECT {values} FROM their_files").collect(),
            ),
            rounds=2 * _ROUNDS,
            warm_ups=_WARM_UPS_OF_A_STATEMENT,
            most_seconds=_SECONDS,
        )
    case = f"{_APPENDED:,} appended rows through a stream, against Spark over their files"
    return times_rival(case, measured, most=MOST_TIMES)


@contextmanager
def _session(scratch: Scratch) -> Iterator[Callable[[str], Table]]:
    with closing(headwater.connect(scratch.folder / "changes")) as connection:
        spark = connection.session.state.spark()
        names = count()
        yield lambda name: Table(spark, spark._session, scratch.folder / "changed" / name, names)


def _appended(scratch: Scratch, table: Table) -> Outcome:
    scratch.say(f"appending {_APPENDED:,} rows in {_APPENDS} commits")
    _create(table, rows=_ROWS_PER_FILE, tracked=True)
    start = table.newest
    for part in range(_APPENDS):
        _append(table, rows=_APPENDED // _APPENDS, first=part * _APPENDED)
    found = classify(table.files, ChangeRange(start, table.newest), Wanted.NET)
    assert found.reader is Reader.ADDED_FILES
    paths = [str(table.folder / path) for commit in found.added.values() for path in commit]
    scratch.say(f"{len(paths)} files: {_ROUNDS} rounds")
    measured = duel(
        Contender("changes", lambda: table.read(start)),
        Contender("spark.read", lambda: _throw_away(table.session.read.parquet(*paths))),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS,
    )
    case = f"{_APPENDED:,} appended rows, against spark.read of their files"
    return times_rival(case, measured, most=MOST_TIMES)


def _one_row(scratch: Scratch, make: Callable[[str], Table]) -> Iterator[Outcome]:
    first: float | None = None
    for tracked in (True, False):
        for size in _SIZES:
            name = f"one_{size}_{tracked}"
            scratch.say(f"one row of {size:,}, {'with' if tracked else 'without'} row ids")
            ours, feed = make(name), make(f"{name}_feed")
            _create(ours, rows=size, tracked=tracked)
            _create(feed, rows=size, feed=True)
            start = ours.newest
            for table in (ours, feed):
                table.session.sql(f"UPDATE {table.sql} SET name = 'new' WHERE id = {size // 2}")
            measured = _against_feed(ours, feed, start=start, feed_start=feed.newest - 1)
            first = measured.ours.median if first is None or size == _SIZES[0] else first
            times = measured.ours.median / first
            kind = "with row ids" if tracked else "without row ids"
            yield Outcome(
                f"one changed row of {size:,}, {kind}, against the change data feed",
                shown(measured.ours.median),
                shown(measured.theirs.median),
                f"{times:.2f}x of {_SIZES[0]:,} rows",
                f"<= {MOST_TIMES_LARGER:.2f}x",
                times <= MOST_TIMES_LARGER,
            )


def _history(scratch: Scratch, make: Callable[[str], Table]) -> Outcome:
    scratch.say(f"a history of {3 * _HISTORY} statements")
    ours, feed = make("history"), make("history_feed")
    _create(ours, rows=_ROWS_PER_FILE, tracked=True)
    _create(feed, rows=_ROWS_PER_FILE, feed=True)
    starts = ours.newest, feed.newest
    for table in (ours, feed):
        for step in range(_HISTORY):
            _append(table, rows=1000, first=10_000_000 + step * 1000)
            table.session.sql(f"UPDATE {table.sql} SET k = -1 WHERE id % 5000 = {step}")
            table.session.sql(f"DELETE FROM {table.sql} WHERE id % 7000 = {step}")
    measured = _against_feed(ours, feed, start=starts[0], feed_start=starts[1])
    case = f"{3 * _HISTORY} statements, net, against the change data feed"
    return times_rival(case, measured, most=1.0)


def _unchanged(scratch: Scratch, table: Table) -> Iterator[Outcome]:
    scratch.say("looking at what did not change")
    _create(table, rows=_ROWS_PER_FILE, tracked=True)
    start = table.newest
    table.session.sql(f"ALTER TABLE {table.sql} SET TBLPROPERTIES ('a' = 'b')")
    jobs = spark_jobs(table.session)
    for case, since in (("no commit", table.newest), ("a commit without rows", start)):

        def look(since: int = since) -> None:
            found = classify(table.files, ChangeRange(since, table.newest), Wanted.NET)
            assert found.reader is Reader.NOTHING

        (taken,) = interleave([Contender("changes", look)], rounds=100, warm_ups=5)
        yield below(f"unchanged: {case}, no Spark job", taken, limit=MOST_SECONDS_UNCHANGED)
    assert spark_jobs(table.session) == jobs


def _against_feed(ours: Table, feed: Table, *, start: int, feed_start: int) -> Any:
    return duel(
        Contender("changes", lambda: ours.read(start)),
        Contender("change data feed", lambda: feed.feed(feed_start)),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS,
    )


def _create(table: Table, *, rows: int, tracked: bool = False, feed: bool = False) -> None:
    properties = (
        f"'delta.enableRowTracking' = '{str(tracked).lower()}',"
        f" 'delta.enableChangeDataFeed' = '{str(feed).lower()}'"
    )
    table.session.sql(
        f"CREATE TABLE {table.sql} (id BIGINT, k BIGINT, name STRING, amount DOUBLE) USING delta"
        f" TBLPROPERTIES ({properties})"
    )
    _append(table, rows=rows, first=0)


def _append(table: Table, *, rows: int, first: int) -> None:
    files = max(1, rows // _ROWS_PER_FILE)
    numbers = f"range({first}, {first + rows}, 1, {files})"
    table.session.sql(f"INSERT INTO {table.sql} SELECT {_ROW} FROM {numbers}")


def _throw_away(frame: Any) -> None:
    """Reads every column of every row and keeps nothing."""
    frame.write.format("noop").mode("overwrite").save()
