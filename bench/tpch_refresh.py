"""The 22 queries of TPC-H as dynamic tables, refreshed after changes, against plain Spark.

Orders and their lines are inserted and as many deleted, 0.1 %, 1 % and 10 % of them, one rate after
the other. After each, every dynamic table is refreshed once in mode AUTO, and plain Spark works the
same query out over the same versions and overwrites a Delta table with it, in the same session,
the two in turn. Before that the tables of the queries are made, refreshed in full, and refreshed
incrementally after a change of 0.2 % that is not measured: what Spark compiles for a query the
first time is there for both. At the end every table is verified. HEADWATER_BENCH_TPCH_SCALE is
TPC-H's scale factor.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headwater
from bench.outcome import Findings, Outcome, shown
from bench.plain_spark import plain_session
from bench.scratch import Scratch
from bench.tpch.tables import RATES, WARM_UP, change, generate, load

SCALE = float(os.environ.get("HEADWATER_BENCH_TPCH_SCALE", "0.1"))
ONLY = os.environ.get("HEADWATER_BENCH_TPCH_QUERIES", "")
LEAST_SPEED_UP = {0.001: 5.0, 0.01: 3.0, 0.1: 1.2}
MOST_OF_FULL = 1.1
_QUERIES = Path(__file__).parent / "tpch" / "queries"


@dataclass(frozen=True, slots=True)
class Measured:
    """One refresh of one query at one rate, and what plain Spark needed."""

    query: str
    rate: float
    ours: float
    theirs: float
    kind: str
    reason: str
    changed: str

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs


def run(scratch: Scratch) -> Findings:
    """Refresh every query after every rate of changes."""
    texts = {
        path.stem: path.read_text().rstrip().rstrip(";")
        for path in sorted(_QUERIES.glob("q*.sql"))
        if not ONLY or path.stem in ONLY.split(",")
    }
    measured: list[Measured] = []
    with closing(headwater.connect(scratch.folder / "tpch")) as connection:
        scratch.say(f"making TPC-H tables of scale {SCALE:g}")
        load(connection, generate(scratch.folder / "tpch-files", SCALE), SCALE)
        spark = plain_session(connection)
        for name, text in texts.items():
            connection.sql(f"CREATE DYNAMIC TABLE {name} AS {text}")
            connection.sql(f"REFRESH DYNAMIC TABLE {name}")
            _recompute(spark, scratch, name, text)
        scratch.say("made and refreshed in full once")
        change(connection, WARM_UP, SCALE)
        for name, text in texts.items():
            _once_incrementally(connection, name)
            _recompute(spark, scratch, name, text)
        scratch.say("refreshed incrementally once")
        for rate in RATES:
            change(connection, rate, SCALE)
            for name, text in texts.items():
                found = _measure(connection, spark, scratch, name=name, text=text, rate=rate)
                measured.append(found)
                scratch.say(_line(found))
        for name in texts:
            equal = connection.sql(f"VERIFY DYNAMIC TABLE {name}").rows[0][1]
            assert equal, f"{name} is not what its query says"
    return Findings(tuple(_outcomes(measured)), tuple(_line(found) for found in measured))


def _once_incrementally(connection: headwater.Connection, name: str) -> None:
    connection.sql(f"ALTER DYNAMIC TABLE {name} SET REFRESH_MODE = INCREMENTAL")
    connection.sql(f"REFRESH DYNAMIC TABLE {name}")
    connection.sql(f"ALTER DYNAMIC TABLE {name} SET REFRESH_MODE = AUTO")


def _measure(
    connection: headwater.Connection,
    spark: Any,
    scratch: Scratch,
    *,
    name: str,
    text: str,
    rate: float,
) -> Measured:
    before = time.perf_counter()
    connection.sql(f"REFRESH DYNAMIC TABLE {name}")
    between = time.perf_counter()
    _recompute(spark, scratch, name, text)
    after = time.perf_counter()
    last = connection.session.state.lake.store.refreshes.list(limit=1)[0]
    stats = f"+{last.rows_inserted} -{last.rows_deleted} rows, {last.detail.get('write')}"
    kind, reason = str(last.kind), str(last.reason)
    return Measured(name, rate, between - before, after - between, kind, reason, stats)


def _recompute(spark: Any, scratch: Scratch, name: str, text: str) -> None:
    target = f"file:{scratch.folder}/plain-{name}"
    found = spark.sql(text)
    # Delta takes no names such as sum(x) without further settings.
    frame = found.toDF(*(f"c{place}" for place in range(len(found.columns))))
    frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(target)


def _line(found: Measured) -> str:
    return (
        f"{found.query} {found.rate:.1%}: {found.kind} ({found.reason}), {shown(found.ours)} "
        f"against {shown(found.theirs)}, {found.ratio:.2f}x, {found.changed}"
    )


def _outcomes(measured: list[Measured]) -> list[Outcome]:
    outcomes = []
    for rate in RATES:
        found = [one for one in measured if one.rate == rate]
        speed_up = math.exp(-sum(math.log(one.ratio) for one in found) / len(found))
        ours, theirs = sum(one.ours for one in found), sum(one.theirs for one in found)
        case = f"{len(found)} queries of TPC-H {SCALE:g}, {rate:.1%} changed"
        least = LEAST_SPEED_UP[rate]
        outcomes.append(
            Outcome(
                f"{case}: geometric mean of speed-ups",
                shown(ours),
                shown(theirs),
                f"{speed_up:.2f}x quicker",
                f">= {least:g}x",
                speed_up >= least,
            )
        )
        worst = max(found, key=lambda one: one.ratio)
        outcomes.append(
            Outcome(
                f"{case}: the slowest against full, {worst.query}",
                shown(worst.ours),
                shown(worst.theirs),
                f"{worst.ratio:.2f}x",
                f"<= {MOST_OF_FULL:g}x",
                worst.ratio <= MOST_OF_FULL,
            )
        )
    full = {one.query for one in measured if one.kind == "FULL" and "CHEAPER" not in one.reason}
    case = f"TPC-H {SCALE:g}: queries that cannot be maintained"
    outcomes.append(Outcome(case, str(len(full)), "0", ", ".join(sorted(full)), "none", not full))
    return outcomes
