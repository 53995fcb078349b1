"""Random queries on Spark: the rows of old plus the delta are those of new, for one change each.

Nothing is stored here: the plan of a change is rendered and compared in one Spark query with the
user's own text over the new tables. Repeat one with HEADWATER_DELTA_SEED=<seed>;
`make fuzz SEEDS=100` runs as many new ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any

import pytest
from pyspark.errors import PySparkException
from tests.seeds import seeds
from tests.spark.random_queries import DEFINITIONS, TABLES, RandomQueries, random_rows

from headwater.algebra.binding import NotIncremental, bind
from headwater.algebra.nodes import (
    WEIGHT,
    Changes,
    ColumnType,
    Join,
    JoinKind,
    Node,
    Query,
    Scan,
    Shared,
    Snapshot,
    Stored,
    columns_of,
)
from headwater.algebra.qualified import qualify
from headwater.algebra.render import render, render_query
from headwater.algebra.rewrites import simplify
from headwater.algebra.sources import SourceTable
from headwater.algebra.walk import transform
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.incremental.plan import Outcome, plan
from headwater.lake.plans import types_within

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

CASES = 50
SEEDS = (11, 12, 13)
TODAY = Dates(date(2026, 1, 1), date(2026, 1, 1))


@dataclass(frozen=True)
class Views:
    """The leaves of a plan as temporary views; parts are written out where they are read."""

    parts: dict[str, str]
    stored_rows: str = ""

    def scan(self, scan: Scan) -> str:
        return f"{scan.source}_old" if scan.at is Snapshot.OLD else scan.source

    def changes(self, changes: Changes) -> str:
        columns = ", ".join(f"{field.name} AS `{field.id}`" for field in changes.fields)
        return f"(SELECT {columns}, w AS `{WEIGHT}` FROM {changes.source}_changes)"

    def stored(self, stored: Stored) -> str:
        return f"({self.stored_rows})"

    def shared(self, shared: Shared) -> str:
        return f"({self.parts[shared.part]})"

    one_task = False

    def few(self, join: Join) -> Node | None:
        """Some joins with a hint: whoever sends a side to all tasks must not change the rows."""
        told = join.kind is not JoinKind.FULL and len(columns_of(join)) % 3 == 0
        return join.right if told else None

    def canonical(self, id: str) -> str:
        return f"`{id}`"


def resolve(parts: tuple[str, ...]) -> SourceTable:
    name = parts[-1].lower()
    kinds = {"int": "int", "text": "string", "number": "decimal(8,2)", "array": "array<int>"}
    columns = tuple((column, kinds[kind]) for column, kind in TABLES[name])
    return SourceTable(name, name, name, columns)


def change_tables(spark: Any, random: Random) -> dict[str, Change]:
    """New contents for every table, and what happened to each."""
    kinds: dict[str, Change] = {}
    for table, definition in DEFINITIONS.items():
        base = [random_rows(random, table, 1) for _ in range(random.randint(0, 6))]
        kind = random.choice([Change.ANY, Change.ANY, Change.INSERTS, Change.NONE])
        gone = random.sample(base, k=len(base) // 2) if kind is Change.ANY else []
        came = [] if kind is Change.NONE else [random_rows(random, table, 1) for _ in range(2)]
        left = list((Counter(base) - Counter(gone)).elements())
        _view(spark, f"{table}_old", definition, base)
        _view(spark, table, definition, left + came)
        weighted = [f"{row[:-1]}, 1)" for row in came] + [f"{row[:-1]}, -1)" for row in gone]
        _view(spark, f"{table}_changes", f"{definition}, w BIGINT", weighted)
        kinds[table] = kind
    return kinds


def _view(spark: Any, name: str, definition: str, rows: list[str]) -> None:
    columns = [part.strip().split(" ", 1) for part in definition.replace("(8,2)", "#").split(",")]
    cast = ", ".join(f"CAST({n} AS {t.replace('#', '(8,2)')}) AS {n}" for n, t in columns)
    names = ", ".join(n for n, _ in columns)
    # A row of NULLs that is left out again: every column may hold NULL, as those of tables do.
    empty = ", ".join("NULL" for _ in columns)
    values = ", ".join([f"({empty}, 0)", *(f"{row[:-1]}, 1)" for row in rows)])
    made = spark.sql(f"SELECT {cast} FROM VALUES {values} AS x({names}, kept) WHERE kept = 1")
    made.createOrReplaceTempView(name)


def mismatches(spark: Any, text: str, query: Query, kinds: dict[str, Change]) -> int:
    """How many rows old plus delta differ from new by; everything in one Spark query."""
    plain = Views({})
    known = types_within(spark, render(query.tree, plain))
    types = {id: ColumnType(*type) for id, type in known.items()}
    planned = plan(query, kinds, TODAY, types)
    names = ", ".join(query.names)
    old = render_query(_old(query), plain)
    views = Views({}, old)
    for part in planned.parts:
        views.parts[part.name] = render(part.node, views)
    rows = render(planned.rows, views)
    delta = rows if planned.kind is Outcome.CHANGE else f"SELECT *, 1L FROM ({rows})"
    both = (
        f"SELECT * FROM (SELECT *, 1L FROM ({old})) AS o({names}, w)"
        f" UNION ALL SELECT * FROM ({delta}) AS d({names}, w)"
        f" UNION ALL SELECT * FROM (SELECT *, -1L FROM ({text})) AS n({names}, w)"
    )
    summed = f"SELECT sum(w) AS s FROM ({both}) GROUP BY {names}"
    return int(spark.sql(f"SELECT coalesce(sum(abs(s)), 0) FROM ({summed})").first()[0])


def _old(query: Query) -> Query:
    def older(node: Node) -> Node:
        return replace(node, at=Snapshot.OLD) if isinstance(node, Scan) else node

    return replace(query, tree=transform(query.tree, older))


@pytest.mark.parametrize("seed", seeds("HEADWATER_DELTA_SEED", SEEDS))
def test_old_plus_delta_is_new(spark: Any, seed: int) -> None:
    """Fifty queries for each seed, each with a change of its own."""
    print(f"HEADWATER_DELTA_SEED={seed}")
    random = Random(seed)
    queries = RandomQueries(random)
    for setting in ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"):
        spark.conf.set(setting, "false")
    done = 0
    while done < CASES:
        text = queries.query()
        kinds = change_tables(spark, random)
        try:
            names = tuple(spark.sql(text).columns)
            query = simplify(bind(qualify(text, resolve), names))
        except (NotIncremental, PySparkException):
            # Some of the made-up queries are none to Spark.
            continue
        done += 1
        assert mismatches(spark, text, query, kinds) == 0, f"case {done}: {kinds}\n{text}"
