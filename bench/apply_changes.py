"""100 changed rows, applied in one commit of our own, against MERGE and against an overwrite.

Every contender has a table of its own with the same columns, rows and files, and the same rows of
it change in each round: 100 go and 100 come. MERGE finds them by a key, we by their whole content.
The overwrite writes what the table is to hold, as a full refresh would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import headwater
from bench.measure import Contender, duel
from bench.outcome import Findings, Outcome, times_rival
from bench.scratch import Scratch
from bench.spark_counters import counted
from headwater.lake.commits.writes import Change
from headwater.lake.spark_session import SparkConnection

SIZES = (1_000, 5_000_000)
MOST_TIMES = {1_000: 0.5, 5_000_000: 0.75}
_CHANGED = 100
_ROWS_PER_FILE = 500_000
_ROUNDS = 10
_WARM_UPS = 3
_SECONDS = 60.0
_ROW = "id, id % 1000 AS k, concat('name ', id, '.', {round}) AS name, id / 7 AS amount"


@dataclass(frozen=True)
class Table:
    """A table at a path whose every so many-th row has been changed some times."""

    spark: SparkConnection
    session: Any
    folder: Path
    rows: int
    rounds: Iterator[int]

    @property
    def sql(self) -> str:
        """Its name for Spark."""
        return f"delta.`{self.folder}`"

    @property
    def step(self) -> int:
        """How far the rows that change lie from each other."""
        return max(1, self.rows // _CHANGED)

    def create(self) -> None:
        """With its rows in files of the same size."""
        self.session.sql(
            f"CREATE TABLE {self.sql} (id BIGINT, k BIGINT, name STRING, amount DOUBLE) USING delta"
        )
        files = max(1, self.rows // _ROWS_PER_FILE)
        row = _ROW.format(round=0)
        numbers = f"range(0, {self.rows}, 1, {files})"
        self.session.sql(f"INSERT INTO {self.sql} SELECT {row} FROM {numbers}")

    def changed(self, turn: int) -> str:
        """The rows that change, as they are after some rounds."""
        return f"SELECT {_ROW.format(round=turn)} FROM range(0, {self.rows}, {self.step})"

    def apply(self) -> None:
        """One round, in one commit of our own."""
        turn = next(self.rounds)
        delta = (
            f"SELECT *, -1L AS __weight FROM ({self.changed(turn)})"
            f" UNION ALL SELECT *, 1L FROM ({self.changed(turn + 1)})"
        )
        done = self.spark.apply(
            str(self.folder),
            Change(delta),
            note=lambda came, went: f"{came} {went}",
            transaction=("bench", turn),
        )
        assert done.rows_inserted == done.rows_deleted > 0

    def merge(self) -> None:
        """One round, by MERGE."""
        self.session.sql(
            f"MERGE INTO {self.sql} t USING ({self.changed(next(self.rounds) + 1)}) s"
            " ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
        )

    def overwrite(self) -> None:
        """One round, by writing all rows anew."""
        name = f"if(id % {self.step} = 0, concat('name ', id, '.', {next(self.rounds) + 1}), name)"
        self.session.sql(
            f"INSERT OVERWRITE {self.sql} SELECT id, k, {name} AS name, amount FROM {self.sql}"
        )


def run(scratch: Scratch) -> Findings:
    """Measure every size against both."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    with closing(headwater.connect(scratch.folder / "apply")) as connection:
        spark = connection.session.state.spark()
        for rows in SIZES:
            make = _maker(scratch, spark, rows)
            for name in ("merge", "overwrite"):
                scratch.say(f"{_CHANGED} changed rows of {rows:,}, against {name}")
                outcome, note = _against(make, name, rows)
                outcomes.append(outcome)
                notes.append(note)
    return Findings(tuple(outcomes), tuple(notes))


def _maker(scratch: Scratch, spark: SparkConnection, rows: int) -> Callable[[str], Table]:
    def make(name: str) -> Table:
        folder = scratch.folder / "applied" / f"{name}_{rows}"
        table = Table(spark, spark._session, folder, rows, count())
        table.create()
        return table

    return make


def _against(make: Callable[[str], Table], rival: str, rows: int) -> tuple[Outcome, str]:
    ours, theirs = make(f"ours_against_{rival}"), make(rival)
    other = getattr(theirs, rival)
    measured = duel(
        Contender("one commit", ours.apply),
        Contender(rival, other),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_SECONDS,
    )
    case = f"{_CHANGED} changed rows of {rows:,}, against {rival}"
    mine, its = counted(ours.session, ours.apply), counted(theirs.session, other)
    return times_rival(case, measured, most=MOST_TIMES[rows]), f"{case}: {mine.against(its)}"
