"""One changed row, tables of different sizes: a refresh against plain Spark that overwrites.

Five dynamic tables stand over one base table: a filter, a join with a dimension of 1000 rows, a
grouping into 1000 groups, a window over 1000 partitions, DISTINCT. In each round one row is
inserted and every table refreshed; plain Spark works every query out and overwrites a Delta table,
in the same session; one row is deleted and every table refreshed again. What plain Spark needs does
not depend on which row changed, so it runs once in a round, between the two. The first round, and
at the first size the first three, only warm up. The outcomes are the curve. The files of the base
table have the same size, whatever its size; at the end every table is verified.
HEADWATER_BENCH_BASE_ROWS is the largest size; the others are a tenth and a hundredth of it.
"""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import headwater
from bench.outcome import Findings, Outcome, shown
from bench.plain_spark import PlainTables, Refreshed, plain_session, refreshed, timed, verify
from bench.scratch import Scratch

LARGEST = int(os.environ.get("HEADWATER_BENCH_BASE_ROWS", "10000000"))
MOST_OF_FULL = 1.1
_ROUNDS = 3
# The first table is small, and meets code that the JVM has not compiled yet.
_FIRST_WARM_UPS = 3
_ROWS_PER_FILE = 500_000
_GROUPS = 1000
_ROW = (
    "id, CAST(pmod(hash(id), {groups}) AS INT) AS k, CAST(id % 10 AS INT) AS part,"
    " concat('name ', id) AS name, CAST(id % 1000 AS BIGINT) AS amount"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A query over `{base}` and `{dimension}`, and what of its refresh grows with the base."""

    query: str
    grows: str


_SHAPES = {
    "filter": Shape(
        "SELECT id, name, amount FROM {base} WHERE part = 3",
        "an insert reads the change alone; a deleted row is looked for in the table",
    ),
    "join": Shape(
        "SELECT b.id, b.amount, d.title FROM {base} b JOIN {dimension} d ON b.k = d.k",
        "the change is joined with the dimension; a deleted row is looked for in the table",
    ),
    "aggregate": Shape(
        "SELECT k, count(*) AS n, count(amount) AS c, sum(amount) AS total FROM {base} GROUP BY k",
        "the change is added to the groups in the table, which are as many at every size",
    ),
    "window": Shape(
        "SELECT id, k, sum(amount) OVER (PARTITION BY k ORDER BY id) AS running FROM {base}",
        "the rows of the touched partition are looked for in all of the base and of the table",
    ),
    "distinct": Shape(
        "SELECT DISTINCT k, part FROM {base}",
        "an insert is held against the table; after a delete the rows of the touched keys are"
        " looked for in all of the base",
    ),
}


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the curve: one shape at one size, after one kind of change."""

    shape: str
    rows: int
    change: str
    refreshes: tuple[Refreshed, ...]
    full: tuple[float, ...]

    @property
    def ours(self) -> float:
        """The median of the refreshes."""
        return statistics.median(one.seconds for one in self.refreshes)

    @property
    def theirs(self) -> float:
        """The median of what plain Spark needed."""
        return statistics.median(self.full)

    @property
    def outcome(self) -> Outcome:
        """The point as a line of the table."""
        ratio = self.ours / self.theirs
        return Outcome(
            f"{self.shape}, one row {self.change} of {self.rows:,}",
            shown(self.ours),
            shown(self.theirs),
            f"{ratio:.2f}x, {self.refreshes[-1].kind}",
            f"<= {MOST_OF_FULL:g}x of full",
            ratio <= MOST_OF_FULL,
        )


def run(scratch: Scratch) -> Findings:
    """Measure every shape at every size."""
    points: list[Point] = []
    with closing(headwater.connect(scratch.folder / "base_size")) as connection:
        connection.sql(
            "CREATE TABLE dimension AS SELECT CAST(id AS INT) AS k, concat('title ', id) AS title"
            f" FROM range({_GROUPS})"
        )
        warm_ups = _FIRST_WARM_UPS
        for rows in (LARGEST // 100, LARGEST // 10, LARGEST):
            found = _curve(scratch, connection, rows, warm_ups=warm_ups)
            warm_ups = 1
            points += found
            for point in found:
                scratch.say(f"{point.outcome.case}: {point.outcome.measured}")
    points.sort(key=lambda point: (list(_SHAPES).index(point.shape), point.change, point.rows))
    return Findings(tuple(point.outcome for point in points), tuple(_notes(points)))


def _curve(
    scratch: Scratch, connection: headwater.Connection, rows: int, *, warm_ups: int
) -> list[Point]:
    scratch.say(f"a base table of {rows:,} rows")
    plain = PlainTables(plain_session(connection), scratch.folder / f"full_{rows}")
    base, tables = f"base_{rows}", {shape: f"{shape}_{rows}" for shape in _SHAPES}
    row = _ROW.format(groups=_GROUPS)
    files = max(1, rows // _ROWS_PER_FILE)
    connection.sql(f"CREATE TABLE {base} AS SELECT {row} FROM range(0, {rows}, 1, {files})")
    queries = {
        shape: one.query.format(base=base, dimension="dimension") for shape, one in _SHAPES.items()
    }
    for shape, query in queries.items():
        connection.sql(f"CREATE DYNAMIC TABLE {tables[shape]} AS {query}")
        connection.sql(f"REFRESH DYNAMIC TABLE {tables[shape]}")
    ours: dict[tuple[str, str], list[Refreshed]] = defaultdict(list)
    full: dict[str, list[float]] = defaultdict(list)
    for turn in range(warm_ups + _ROUNDS):
        new = _let_through(rows + 10 * turn)
        connection.sql(f"INSERT INTO {base} SELECT {row} FROM range({new}, {new + 1})")
        for shape, table in tables.items():
            ours[shape, "inserted"].append(refreshed(connection, table))
        for shape, query in queries.items():
            full[shape].append(timed(partial(plain.overwrite, shape, query)))
        connection.sql(f"DELETE FROM {base} WHERE id = {_let_through(rows // (turn + 2))}")
        for shape, table in tables.items():
            ours[shape, "deleted"].append(refreshed(connection, table))
    verify(connection, *tables.values())
    return [
        Point(shape, rows, change, tuple(found[warm_ups:]), tuple(full[shape][warm_ups:]))
        for (shape, change), found in ours.items()
    ]


def _let_through(id: int) -> int:
    """A row near a place which the filter lets through."""
    return id // 10 * 10 + 3


def _notes(points: Sequence[Point]) -> list[str]:
    lines = []
    for shape, one in _SHAPES.items():
        for change in ("inserted", "deleted"):
            curve = [p for p in points if (p.shape, p.change) == (shape, change)]
            curve.sort(key=lambda point: point.rows)
            times = curve[-1].ours / curve[0].ours
            full = curve[-1].theirs / curve[0].theirs
            grew = f"a refresh takes {times:.1f} times as long, plain Spark {full:.1f} times"
            many = curve[-1].rows // curve[0].rows
            last = curve[-1].refreshes[-1].words
            lines.append(f"{shape}, one row {change}, {many} times the rows: {grew}; {last}")
        lines.append(f"{shape}: {one.grows}")
    return lines
