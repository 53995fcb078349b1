"""A refresh after one inserted row of five, against one plain Delta append of one row.

What a refresh costs before it reads anything: two dynamic tables, a projection and a grouping, each
over a table of five rows of its own. In each round a row is inserted, untimed, and the refresh is
timed; then plain Spark appends one row of the same columns to a Delta table, in the same session.
Every round leaves one row and one file more, on both sides. The Spark jobs are those of one
refresh and of one append. NO_DATA is a refresh for which nothing was inserted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import Any

import headwater
from bench.measure import Contender, duel, interleave
from bench.outcome import Findings, Outcome, below, times_rival
from bench.plain_spark import verify
from bench.profiling import print_profile
from bench.scratch import Scratch
from bench.spark_counters import Counts, counted

MOST_TIMES = 2.0
MOST_JOBS = 2
MOST_SECONDS_WITHOUT_DATA = 0.050
_ROUNDS = 15
_WARM_UPS = 8
_SECONDS = 60.0
_COLUMNS = "(id INT, city STRING, amount BIGINT)"
_SHAPES = {
    "projection": "SELECT id, upper(city) AS city, amount * 2 AS twice FROM {source}",
    "aggregate": "SELECT city, count(*) AS n, count(amount) AS k, sum(amount) AS total"
    " FROM {source} GROUP BY city",
}


def run(scratch: Scratch) -> Findings:
    """Measure every shape, then a refresh without data."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    with closing(headwater.connect(scratch.folder / "fixed")) as connection:
        spark = connection.session.state.spark()._session
        for shape, query in _SHAPES.items():
            scratch.say(f"a refresh of one row, {shape}: {_ROUNDS} rounds")
            found, note = _measure(scratch, connection, spark, shape=shape, query=query)
            outcomes += found
            notes.append(note)
        scratch.say("refreshes without data")
        outcomes += [_without_data(connection, spark, shape) for shape in _SHAPES]
        verify(connection, *_SHAPES)
    return Findings(tuple(outcomes), tuple(notes))


def _measure(
    scratch: Scratch, connection: headwater.Connection, spark: Any, *, shape: str, query: str
) -> tuple[list[Outcome], str]:
    insert = _make(connection, shape, query)
    settle = connection.session.lake.flush_background
    append = _append(spark, f"file:{scratch.folder}/appended-{shape}")

    def refresh() -> None:
        connection.sql(f"REFRESH DYNAMIC TABLE {shape}")

    def next_round() -> None:
        settle()
        insert()

    insert()
    measured = duel(
        Contender("refresh", refresh, settle=next_round),
        Contender("append", append),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS,
    )
    last = connection.session.lake.store.refreshes.list(limit=1)[0]
    assert str(last.kind) == "INCREMENTAL", f"a refresh was {last.kind}: {last.reason}"
    mine, its = counted(spark, refresh, settle=settle), counted(spark, append)
    if scratch.profile:
        next_round()
        print_profile(shape, refresh, times=1)
    case = f"one inserted row of 5, {shape}"
    outcomes = [
        times_rival(f"{case}, against an append", measured, most=MOST_TIMES),
        _jobs(case, mine, its),
    ]
    return outcomes, f"{case}: {mine.against(its)}; written by {last.detail.get('write')}"


def _make(connection: headwater.Connection, shape: str, query: str) -> Callable[[], None]:
    """A table of five rows, and the dynamic table over it; gives back what inserts a row."""
    source, keys = f"{shape}_source", count(5)
    connection.sql(f"CREATE TABLE {source} {_COLUMNS}")
    connection.sql(
        f"INSERT INTO {source} SELECT CAST(id AS INT), concat('city ', id % 3), id FROM range(5)"
    )
    connection.sql(f"CREATE DYNAMIC TABLE {shape} AS {query.format(source=source)}")
    connection.sql(f"REFRESH DYNAMIC TABLE {shape}")

    def insert() -> None:
        key = next(keys)
        connection.sql(f"INSERT INTO {source} VALUES ({key}, 'city {key % 3}', {key})")

    return insert


def _append(spark: Any, path: str) -> Callable[[], None]:
    keys = count()

    def append() -> None:
        key = next(keys)
        row = f"SELECT {key} AS id, 'city {key % 3}' AS city, {key}L AS amount"
        spark.sql(row).write.format("delta").mode("append").save(path)

    return append


def _jobs(case: str, mine: Counts, its: Counts) -> Outcome:
    return Outcome(
        f"{case}: Spark jobs",
        str(mine.spark_jobs),
        str(its.spark_jobs),
        str(mine.spark_jobs),
        f"<= {MOST_JOBS}",
        mine.spark_jobs <= MOST_JOBS,
    )


def _without_data(connection: headwater.Connection, spark: Any, name: str) -> Outcome:
    def refresh() -> None:
        connection.sql(f"REFRESH DYNAMIC TABLE {name}")

    refresh()
    settle = connection.session.lake.flush_background
    contender = Contender("NO_DATA", refresh, settle=settle)
    (taken,) = interleave([contender], rounds=50, warm_ups=5)
    jobs = counted(spark, refresh, settle=settle).spark_jobs
    assert not jobs, f"a refresh without data ran {jobs} Spark jobs"
    last = connection.session.lake.store.refreshes.list(limit=1)[0]
    assert str(last.kind) == "NO_DATA", f"a refresh without data was {last.kind}"
    return below(f"NO_DATA, {name}, no Spark job", taken, limit=MOST_SECONDS_WITHOUT_DATA)
