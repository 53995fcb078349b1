"""Two texts of one query have the same plan for Spark, also where it counts its own ids anew."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.lake.plans import same_plan

pytestmark = pytest.mark.spark

RECURSIVE = (
    "WITH RECURSIVE {name} (a, b) AS (SELECT b, b FROM {start} WHERE a = 1 UNION ALL "
    "SELECT e.b, {name}.b FROM edges e JOIN {name} ON e.a = {name}.a{more}) SELECT a, b FROM {name}"
)
EXISTS = "SELECT a FROM edges WHERE b > 3 OR EXISTS (SELECT 1 FROM {other} o WHERE o.a = edges.a)"


@pytest.fixture
def graphs(spark: Any) -> Any:
    """Two tables of the same columns."""
    for name in ("edges", "ways"):
        spark.sql(f"CREATE OR REPLACE TABLE {name} (a INT, b INT) USING delta")
    return spark


def test_a_recursive_query_equals_itself_under_another_name(graphs: Any) -> None:
    one = RECURSIVE.format(name="r", start="edges", more="")
    other = RECURSIVE.format(name="s", start="edges", more="")
    assert same_plan(graphs, one, other)


@pytest.mark.parametrize(("start", "more"), [("ways", ""), ("edges", " AND e.b > 2")])
def test_a_recursive_query_over_other_rows_is_another_one(
    graphs: Any, start: str, more: str
) -> None:
    one = RECURSIVE.format(name="r", start="edges", more="")
    other = RECURSIVE.format(name="r", start=start, more=more)
    assert not same_plan(graphs, one, other)


def test_exists_as_a_value_equals_itself_and_not_that_of_another_table(graphs: Any) -> None:
    one, other = EXISTS.format(other="edges"), EXISTS.format(other="ways")
    assert same_plan(graphs, one, one)
    assert not same_plan(graphs, one, other)


@pytest.mark.parametrize("columns", [("a", "b"), ("a", "b", "a + b")])
def test_several_sorts_of_distinct_values_are_counted_in_any_order(
    graphs: Any, columns: tuple[str, ...]
) -> None:
    counts = ", ".join(f"count(DISTINCT {column}) AS c{i}" for i, column in enumerate(columns))
    one = f"SELECT b % 2 AS k, {counts} FROM {{table}} GROUP BY b % 2"
    for _ in range(6):
        assert same_plan(graphs, one.format(table="edges"), one.format(table="edges AS e"))
    assert not same_plan(graphs, one.format(table="edges"), one.format(table="ways"))
    swapped = one.replace("DISTINCT a)", "DISTINCT b * 2)")
    assert not same_plan(graphs, one.format(table="edges"), swapped.format(table="edges"))
