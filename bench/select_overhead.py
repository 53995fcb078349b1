"""A SELECT through Headwater against the same text through `spark.sql`, in the same Spark session.

Both take all rows into Python. Headwater also splits, parses and masks the text, looks up its
tables and records a job; the target says how much all of that may cost.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import headwater
from bench.measure import Contender, duel
from bench.outcome import Findings, Outcome, more_than_rival
from bench.profiling import print_profile
from bench.scratch import Scratch
from bench.select_texts import TABLES, TEXTS
from bench.spark_counters import counted

MOST_SECONDS_MORE = 0.015
_ROUNDS = 40
_WARM_UPS = 8
_SECONDS_PER_TEXT = 15.0


def run(scratch: Scratch) -> Findings:
    """Measure every text."""
    with closing(headwater.connect(scratch.folder / "select")) as connection:
        scratch.say("making three tables")
        for statement in TABLES:
            connection.sql(statement)
        outcomes, notes = [], []
        for case, text in TEXTS.items():
            scratch.say(f"{case}: {_ROUNDS} rounds")
            outcomes.append(_compare(connection, case, text))
            notes.append(_counts(connection, case, text))
            if scratch.profile:
                print_profile(case, lambda text=text: connection.sql(text).rows, times=50)
    return Findings(tuple(outcomes), tuple(notes))


def _compare(connection: headwater.Connection, case: str, text: str) -> Outcome:
    spark = _pyspark(connection)
    ours = {tuple(row) for row in connection.sql(text).rows}
    theirs = {tuple(row) for row in spark.sql(text).collect()}
    assert ours == theirs, f"{case}: the rows differ"
    found = duel(
        # The job's figures are collected in the background; they must not slow the rival down.
        Contender(
            "Headwater",
            lambda: connection.sql(text).rows,
            settle=connection.session.lake.flush_background,
        ),
        Contender("spark.sql", lambda: spark.sql(text).collect()),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS_PER_TEXT,
    )
    return more_than_rival(case, found, most=MOST_SECONDS_MORE)


def _counts(connection: headwater.Connection, case: str, text: str) -> str:
    spark = _pyspark(connection)
    lake = connection.session.lake
    ours = counted(spark, lambda: connection.sql(text).rows, settle=lake.flush_background)
    theirs = counted(spark, lambda: spark.sql(text).collect())
    return (
        f"{case}: {ours.jvm_calls} calls to the JVM against {theirs.jvm_calls}, and "
        f"{ours.jvm_calls_behind} in the background; Spark jobs {ours.spark_jobs} "
        f"against {theirs.spark_jobs}"
    )


def _pyspark(connection: headwater.Connection) -> Any:
    """The session that the connection itself runs its statements in."""
    return connection.session.state.spark()._session
