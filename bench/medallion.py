"""Three layers of 20 dynamic tables, three batches of changes, against plain Spark that overwrites.

Bronze cleans four raw tables; silver keeps the latest row of each key, joins orders with customers
as they were on the day, looks products and payments up, and compares each order with the one
before; gold groups, counts distinct values, ranks and rolls up. A batch changes 1 % of the orders:
most come, some are updated, a few go; payments, products and customers change with them. After
each batch all dynamic tables are refreshed in mode AUTO, each behind those it reads, and plain
Spark works the same queries out, in the same order, over its own Delta tables of the layers, and
overwrites them, in the same session. Who is first changes from batch to batch. Both have built all
tables once before, which for plain Spark is the same work as each batch; so that what Spark
compiles for a refresh is there as well, a batch before those that count is told of by itself. At
the end every table is verified. HEADWATER_BENCH_MEDALLION_ROWS is how many orders there are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import headwater
from bench.layers.queries import Layered, in_order
from bench.layers.raw_tables import BATCHES, SHARE, RawTables
from bench.outcome import Findings, Outcome, shown
from bench.plain_spark import PlainTables, Refreshed, plain_session, refreshed, timed, verify
from bench.scratch import Scratch

ROWS = int(os.environ.get("HEADWATER_BENCH_MEDALLION_ROWS", "1000000"))
MOST_OF_FULL = 0.65
TABLES = 20
_FIRST = -1
"""The batch before those that count."""


@dataclass(frozen=True, slots=True)
class Step:
    """One table after one batch: its refresh, and what plain Spark needed for it."""

    batch: int
    refresh: Refreshed
    full: float

    @property
    def line(self) -> str:
        """For people."""
        taken = f"{shown(self.refresh.seconds)} against {shown(self.full)}"
        ratio = self.refresh.seconds / self.full
        return f"{self.refresh.name}: {taken}, {ratio:.2f}x, {self.refresh.words}"


def run(scratch: Scratch) -> Findings:
    """Build the layers, then change and refresh them batch by batch."""
    tables = in_order()
    assert len(tables) == TABLES, f"{len(tables)} tables"
    steps: list[Step] = []
    with closing(headwater.connect(scratch.folder / "medallion")) as connection:
        scratch.say(f"raw tables of {ROWS:,} orders")
        raw = RawTables(connection, ROWS)
        raw.create()
        plain = PlainTables(plain_session(connection), scratch.folder / "medallion-plain")
        for table in tables:
            query = table.sql(lambda name: name)
            connection.sql(f"CREATE DYNAMIC TABLE {table.name} AS {query}")
            connection.sql(f"REFRESH DYNAMIC TABLE {table.name}")
        _full(plain, tables)
        scratch.say(f"{len(tables)} tables built by both")
        for batch in range(_FIRST, BATCHES):
            raw.change(batch - _FIRST)
            found = _both(connection, plain, tables, batch=batch)
            steps += found
            scratch.say(f"{_named(batch)}: {_total(found).measured}")
            for step in found:
                scratch.say(f"  {step.line}")
        verify(connection, *(table.name for table in tables))
    outcomes = [
        _total([step for step in steps if step.batch == b], b) for b in range(_FIRST, BATCHES)
    ]
    counted = [step for step in steps if step.batch >= 0]
    return Findings((*outcomes, _total(counted)), tuple(_notes(counted, tables)))


def _named(batch: int) -> str:
    return f"batch {batch + 1}" if batch >= 0 else "a first batch, which does not count"


def _both(
    connection: headwater.Connection, plain: PlainTables, tables: Sequence[Layered], *, batch: int
) -> list[Step]:
    """Who comes second finds the raw files in the machine's memory, so they take turns."""
    if batch % 2:
        full = _full(plain, tables)
        ours = [refreshed(connection, table.name) for table in tables]
    else:
        ours = [refreshed(connection, table.name) for table in tables]
        full = _full(plain, tables)
    return [Step(batch, mine, theirs) for mine, theirs in zip(ours, full, strict=True)]


def _full(plain: PlainTables, tables: Sequence[Layered]) -> list[float]:
    own = {table.name for table in tables}

    def named(name: str) -> str:
        return plain.sql(name) if name in own else name

    return [timed(partial(plain.overwrite, t.name, t.sql(named))) for t in tables]


def _total(steps: Sequence[Step], batch: int | None = None) -> Outcome:
    ours = sum(step.refresh.seconds for step in steps)
    theirs = sum(step.full for step in steps)
    which = f"{BATCHES} batches" if batch is None else _named(batch)
    counts = batch is None or batch >= 0
    return Outcome(
        f"{TABLES} tables over {ROWS:,} orders, {SHARE:.0%} changed, {which}",
        shown(ours),
        shown(theirs),
        f"{ours / theirs:.2f}x",
        f"<= {MOST_OF_FULL:g}x" if counts else "none",
        not counts or ours / theirs <= MOST_OF_FULL,
    )


def _notes(steps: Sequence[Step], tables: Sequence[Layered]) -> list[str]:
    """Each table over all batches, with what its last refresh was."""
    lines = []
    for table in tables:
        found = [step for step in steps if step.refresh.name == table.name]
        ours = sum(step.refresh.seconds for step in found)
        theirs = sum(step.full for step in found)
        taken = f"{shown(ours)} against {shown(theirs)}, {ours / theirs:.2f}x"
        lines.append(f"{table.name}: {taken}, {found[-1].refresh.words}")
    return lines
