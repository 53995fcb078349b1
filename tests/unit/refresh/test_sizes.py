"""Which side of a join is few rows, and how Spark is told."""

from __future__ import annotations

import math
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Changes,
    ColumnType,
    Field,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    Shared,
    Union,
    column,
)
from headwater.algebra.render import render
from headwater.incremental.weights import kept
from headwater.refresh.relations import ChangedRows, PinnedSource, SparkRelations
from headwater.refresh.sizes import FEW, most_rows

ORDERS = Scan("o", "orders", (Field("id#1", "id"),))
CHANGED = Changes("l", "lines", (Field("order#2", "order"),))
SAME = exp.EQ(this=column("id#1"), expression=column("order#2"))


def rows(node: Node, changed: int | None = 7) -> float:
    return most_rows(node, {"l": changed}, {"p1": 20.0})


def test_rows_are_bounded_by_the_change_they_come_from() -> None:
    assert rows(CHANGED) == 7
    assert rows(Project(CHANGED, kept(("order#2",)))) == 7
    assert rows(Union((CHANGED, Shared("p1", CHANGED.fields)), ("order#2", WEIGHT))) == 27
    assert rows(Join(JoinKind.SEMI, CHANGED, ORDERS, SAME)) == 7


def test_what_no_change_bounds_may_be_anything() -> None:
    assert rows(ORDERS) == math.inf
    assert rows(CHANGED, changed=None) == math.inf
    assert rows(Join(JoinKind.SEMI, ORDERS, CHANGED, SAME)) == math.inf
    assert rows(Join(JoinKind.FULL, CHANGED, ORDERS, SAME)) == math.inf
    assert rows(Shared("p2", CHANGED.fields)) == math.inf


def test_a_changed_row_may_have_several_matches() -> None:
    assert 7 < rows(Join(JoinKind.INNER, CHANGED, ORDERS, SAME)) < math.inf


def relations(changed: int | None) -> SparkRelations:
    changes = ChangedRows("changes_of_l", ("order",))
    sources = {"o": PinnedSource("orders", 1, 2), "l": PinnedSource("lines", 1, 2, changes)}
    types = {"id#1": ColumnType("bigint"), "order#2": ColumnType("bigint")}
    found = SparkRelations(sources, types, lambda value, kind: value)
    return replace(found, changed_rows={"o": 0, "l": changed})


def test_spark_is_told_which_side_is_few_rows() -> None:
    first = render(Join(JoinKind.INNER, CHANGED, ORDERS, SAME), relations(7))
    assert first.startswith("SELECT /*+ BROADCAST(`#few`) */ * FROM (SELECT * FROM (SELECT `0`")
    assert ") AS `#few` JOIN (SELECT `id` AS `id#1`" in first
    second = render(Join(JoinKind.SEMI, ORDERS, CHANGED, SAME), relations(7))
    assert ") AS `#few` ON `id#1` = `order#2`" in second


def test_spark_chooses_where_rows_are_many_or_nobody_knows() -> None:
    for count in (FEW + 1, None):
        assert "BROADCAST" not in render(
            Join(JoinKind.INNER, CHANGED, ORDERS, SAME), relations(count)
        )
    # the left side of these cannot be sent: its rows without a match would come several times
    for kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.LEFT):
        assert "BROADCAST" not in render(Join(kind, CHANGED, ORDERS, SAME), relations(7))
    plain = replace(relations(7), changed_rows=None)
    assert "BROADCAST" not in render(Join(JoinKind.INNER, CHANGED, ORDERS, SAME), plain)
