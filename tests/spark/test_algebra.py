"""The tree of a query gives the rows of the query, and its qualified text has the same plan."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.spark.algebra_queries import QUERIES, TABLES

from headwater.algebra.binding import bind
from headwater.algebra.nodes import Changes, ColumnId, Query, Scan, Shared, Stored
from headwater.algebra.qualified import Qualified, qualify
from headwater.algebra.render import render_query
from headwater.algebra.rewrites import simplify
from headwater.algebra.sources import Relation, SourceTable, SourceView
from headwater.lake.engine import Engine
from headwater.names import quote_identifier

pytestmark = pytest.mark.spark

OTHER_PLANS = {"full using"}
"""Of chained FULL JOIN .. USING Spark makes steps that no text of ours has: it stays a full refresh."""

VIEW = "SELECT k AS id, sum(a) AS total FROM t WHERE a > 5 GROUP BY k"


class TableRelations:
    """Leaves under the names that Spark knows."""

    def scan(self, scan: Scan) -> str:
        return f"source_{scan.source}"

    def changes(self, changes: Changes) -> str:
        raise NotImplementedError

    def stored(self, stored: Stored) -> str:
        raise NotImplementedError

    def shared(self, shared: Shared) -> str:
        raise NotImplementedError

    def canonical(self, id: ColumnId) -> str:
        return quote_identifier(id)


@pytest.fixture(scope="module")
def tables(engine: Engine) -> Any:
    """A session with the tables, each also under the name that the tree reads."""
    session = engine.new_session()
    for setting in (
        "shuffle.partitions = 1",
        "codegen.wholeStage = false",
        "adaptive.enabled = false",
    ):
        session.sql(f"SET spark.sql.{setting}")
    for name, (columns, rows) in TABLES.items():
        values = f"VALUES {rows}" if rows else f"VALUES ({', '.join(['NULL'] * 2)})"
        names = ", ".join(column.split()[0] for column in _split(columns))
        types = ", ".join(
            f"CAST({column.split()[0]} AS {column.split(maxsplit=1)[1]}) AS {column.split()[0]}"
            for column in _split(columns)
        )
        where = "" if rows else " WHERE false"
        session.sql(
            f"CREATE OR REPLACE TEMP VIEW made AS SELECT {types} FROM {values} AS w ({names}){where}"
        )
        # Not literals, so that Spark cannot work the answers out while it plans.
        frame = session.table("made").localCheckpoint()
        for view in (name, f"source_{name}"):
            frame.createOrReplaceTempView(view)
    session.sql(f"CREATE OR REPLACE TEMP VIEW totals AS {VIEW}")
    return session


def _split(columns: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(columns):
        depth += (letter in "(<") - (letter in ")>")
        if letter == "," and not depth:
            parts.append(columns[start:at].strip())
            start = at + 1
    return [*parts, columns[start:].strip()]


def resolve(parts: tuple[str, ...]) -> Relation:
    name = parts[-1].lower()
    if name == "totals":
        return SourceView(VIEW, ("id", "total"), resolve)
    columns = tuple(
        (column.split()[0], column.split(maxsplit=1)[1]) for column in _split(TABLES[name][0])
    )
    return SourceTable(name, name, name, columns)


def bound(text: str, names: tuple[str, ...]) -> tuple[Qualified, Query]:
    qualified = qualify(text, resolve)
    return qualified, simplify(bind(qualified, names))


@pytest.mark.parametrize("name", QUERIES)
def test_the_tree_gives_the_rows_of_the_query(tables: Any, name: str) -> None:
    text = QUERIES[name]
    user = tables.sql(text)
    names = tuple(f"c{at}" for at in range(len(user.columns)))
    qualified, query = bound(text, names)
    rendered = tables.sql(render_query(query, TableRelations()))
    assert [field.dataType for field in rendered.schema] == [
        field.dataType for field in user.schema
    ]
    rows = Counter(map(repr, _plain(user)))
    assert Counter(map(repr, _plain(rendered))) == rows
    again = tables.sql(qualified.to_sql())
    if name not in OTHER_PLANS and not _same_plan(again, user):
        # Some plans do not even equal themselves: ids that Spark makes while it optimizes differ.
        itself = _same_plan(tables.sql(text), user)
        assert not itself, f"{qualified.to_sql()}\n{_plan(again)}\n{_plan(user)}"


def _plain(frame: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


def _plan(frame: Any) -> Any:
    return frame._jdf.queryExecution().optimizedPlan()


def _same_plan(one: Any, other: Any) -> bool:
    return bool(_plan(one).sameResult(_plan(other)))
