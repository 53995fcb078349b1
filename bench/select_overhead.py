"""A SELECT through Headwater against the same text through `spark.sql`, in the same Spark session.

Both take all rows into Python. Headwater also splits, parses and masks the text, looks up its
tables and records a job; the target says how much all of that may cost.
"""

from __future__ import annotations

from contextlib import closing
from statistics import median
from typing import Any

import headwater
from bench.measure import Contender, Duel, duel
from bench.outcome import Findings, more_than_rival, shown
from bench.profiling import print_profile
from bench.scratch import Scratch, rows_of
from bench.select_texts import TABLES, TEXTS
from bench.spark_counters import counted

MOST_SECONDS_MORE = 0.015
_ROUNDS = 40
_WARM_UPS = 8
_SECONDS_PER_TEXT = 60.0


def run(scratch: Scratch) -> Findings:
    """Measure every text."""
    with closing(headwater.connect(scratch.folder / "select")) as connection:
        scratch.say("making three tables")
        for statement in TABLES:
            connection.sql(statement)
        outcomes, notes = [], []
        for case, text in TEXTS.items():
            scratch.say(f"{case}: {_ROUNDS} rounds")
            found = _compare(connection, case, text)
            outcomes.append(more_than_rival(case, found, most=MOST_SECONDS_MORE))
            notes.append(_costs(connection, case, text, found))
            if scratch.profile:
                print_profile(case, rows_of(connection, text), times=50)
    return Findings(tuple(outcomes), tuple(notes))


def _compare(connection: headwater.Connection, case: str, text: str) -> Duel:
    spark = _pyspark(connection)
    ours = {tuple(row) for row in connection.sql(text).rows}
    theirs = {tuple(row) for row in spark.sql(text).collect()}
    assert ours == theirs, f"{case}: the rows differ"
    return duel(
        # The job's figures are collected in the background; they must not slow the rival down.
        Contender(
            "Headwater",
            rows_of(connection, text),
            settle=connection.session.lake.flush_background,
        ),
        Contender("spark.sql", lambda: spark.sql(text).collect()),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS_PER_TEXT,
    )


def _costs(connection: headwater.Connection, case: str, text: str, found: Duel) -> str:
    spark = _pyspark(connection)
    lake = connection.session.lake
    ours = counted(spark, rows_of(connection, text), settle=lake.flush_background)
    theirs = counted(spark, lambda: spark.sql(text).collect())
    cpu = f"{shown(median(found.ours.own_cpu))} against {shown(median(found.theirs.own_cpu))}"
    return f"{case}: Python's own CPU time {cpu}; {ours.against(theirs)}"


def _pyspark(connection: headwater.Connection) -> Any:
    """The session that the connection itself runs its statements in."""
    return connection.session.state.spark()._session
