"""The tree of a query gives the rows of the query, and its qualified text has the same plan."""

from __future__ import annotations

from typing import Any

import pytest
from tests.algebra_trees import COLUMNS, VIEW, read_cases, tree_of

from headwater.algebra.functions import AGGREGATES, GENERATORS
from headwater.algebra.nodes import Changes, ColumnId, Join, Node, Scan, Shared, Stored
from headwater.algebra.render import render_query
from headwater.lake.engine import Engine
from headwater.names import quote_identifier

pytestmark = pytest.mark.spark

OTHER_PLANS = {"full using"}
"""Of FULL JOIN .. USING in a chain Spark makes steps that no text of ours has."""

CASES = read_cases()
ROWS = {
    "t": """
        (1, 10, 'x', 1.50, 1.5D, array(1, 2), map('p', 1), struct(1, 'g'), date'2026-01-01'),
        (1, 10, 'x', 1.50, 1.5D, array(1, 2), map('p', 1), struct(1, 'g'), date'2026-01-01'),
        (1, NULL, 'y', 2.25, 2.5D, array(), map(), NULL, date'2026-01-02'),
        (2, 20, NULL, NULL, NULL, NULL, NULL, struct(NULL, 'h'), NULL),
        (2, 5, 'z', 7.00, 0.5D, array(3, NULL), map('q', 2), struct(3, NULL), date'2026-02-01'),
        (NULL, 7, 'x', 3.00, 9.0D, array(4), map('s', 4), struct(4, 'i'), date'2026-03-01'),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (4, 40, 'w', 0.01, 0.25D, array(5, 6, 7), map('t', 5), struct(5, 'j'), date'2026-04-01')
        """,
    "u": """
        (1, 10, 'x'), (1, 11, 'y'), (1, 11, 'y'), (2, NULL, 'z'), (3, 30, NULL), (NULL, 7, 'x'),
        (NULL, NULL, 'w'), (5, 50, 'v')
        """,
    "v": "(1, 'one', 100), (2, 'two', 200), (2, 'zwei', NULL), (NULL, 'none', 0), (3, NULL, 300)",
    "nothing": "",
}


class TableRelations:
    """Leaves under the names that Spark knows."""

    def scan(self, scan: Scan) -> str:
        return scan.source

    def changes(self, changes: Changes) -> str:
        raise AssertionError("no query has such a leaf")

    def stored(self, stored: Stored) -> str:
        raise AssertionError("no query has such a leaf")

    def shared(self, shared: Shared) -> str:
        raise AssertionError("no query has such a leaf")

    one_task = False

    def few(self, join: Join) -> Node | None:
        return None

    def canonical(self, id: ColumnId) -> str:
        return quote_identifier(id)


@pytest.fixture(scope="module")
def tables(engine: Engine) -> Any:
    """A session with the tables and the view."""
    session = engine.new_session()
    for setting in (
        "shuffle.partitions = 1",
        "codegen.wholeStage = false",
        "adaptive.enabled = false",
    ):
        session.sql(f"SET spark.sql.{setting}")
    for name, columns in COLUMNS.items():
        rows = ROWS[name] or f"({', '.join('NULL' for _ in columns)})"
        names = ", ".join(column for column, _ in columns)
        casts = ", ".join(f"CAST({column} AS {type}) AS {column}" for column, type in columns)
        text = f"SELECT {casts} FROM VALUES {rows} AS w ({names}) WHERE {bool(ROWS[name])}"
        # Not literals, so that Spark cannot work the answers out while it plans.
        session.sql(text).localCheckpoint().createOrReplaceTempView(name)
    session.sql(f"CREATE OR REPLACE TEMP VIEW totals AS {VIEW}")
    return session


@pytest.mark.parametrize("name", CASES)
def test_the_tree_gives_the_rows_of_the_query(tables: Any, name: str) -> None:
    text = CASES[name].text
    user = tables.sql(text)
    qualified, query = tree_of(text)
    tree_text = render_query(query, TableRelations())
    rendered = tables.sql(tree_text)
    assert [field.dataType for field in rendered.schema] == [
        field.dataType for field in user.schema
    ]
    sides: dict[int, list[str]] = {0: [], 1: []}
    both = tables.sql(f"SELECT 0, * FROM ({text}) UNION ALL SELECT 1, * FROM ({tree_text})")
    for side, *values in both.collect():
        sides[side].append(repr(values))
    assert sorted(sides[1]) == sorted(sides[0])
    again = tables.sql(qualified.to_sql())
    if name not in OTHER_PLANS and not _same_plan(again, user):
        # Some plans do not even equal themselves: ids that Spark makes while it optimizes differ.
        itself = _same_plan(tables.sql(text), user)
        assert not itself, f"{qualified.to_sql()}\n{_plan(again)}\n{_plan(user)}"


def test_the_names_of_aggregates_and_generators_are_spark_s(tables: Any) -> None:
    registry = tables._jsparkSession.sessionState().functionRegistry()
    functions = registry.listFunction().iterator()
    groups: dict[str, set[str]] = {}
    while functions.hasNext():
        function = functions.next()
        group = registry.lookupFunction(function).get().getGroup()
        groups.setdefault(group, set()).add(function.funcName())
    assert groups["agg_funcs"] <= AGGREGATES
    assert groups["generator_funcs"] <= GENERATORS


def _plan(frame: Any) -> Any:
    return frame._jdf.queryExecution().optimizedPlan()


def _same_plan(one: Any, other: Any) -> bool:
    return bool(_plan(one).sameResult(_plan(other)))
