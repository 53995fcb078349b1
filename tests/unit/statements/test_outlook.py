"""What is done of a refresh after Spark was asked about its query; Spark's answers are made up."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.unit.pipes.fake_spark import Insert
from tests.unit.statements.test_dynamic_table_statements import dynamic_table, table_named

import headwater
from headwater.algebra.nodes import ColumnType, columns_of
from headwater.algebra.walk import nodes_of
from headwater.catalog.dynamic_tables import RefreshKind, RefreshMode
from headwater.errors import HeadwaterError
from headwater.lake.spark_session import SparkConnection
from headwater.refresh import outlook
from headwater.refresh.facts import Problem
from headwater.refresh.outlook import Outlook, Workshop, look_ahead
from headwater.refresh.planned import PlannedRefresh
from headwater.refresh.reasons import Reason
from headwater.refresh.understanding import Understanding, Understandings
from headwater.sql.edits import own_text
from headwater.statements.context import Context
from headwater.statements.dispatch import execute_relation
from headwater.statements.refreshing import plan_of, require_allowed


class Answer(Understandings):
    """Spark has been asked, and says this."""

    def __init__(self, answer: Understanding) -> None:
        super().__init__()
        self._answer = answer

    def of(self, *asked: Any) -> Understanding:
        return self._answer


@pytest.fixture
def context(lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch) -> Context:
    # Spark would have to know the tables by these names; it never starts here.
    monkeypatch.setattr(outlook, "register_table", lambda lake, table: table.name)
    return Context(lake.session.state, "job", "", [], execute_relation)


def after_an_insert(
    lake: headwater.Connection, context: Context, mode: RefreshMode
) -> PlannedRefresh:
    """A refresh of d after one row came to its source."""
    made = replace(dynamic_table(lake), mode=mode)
    store = lake.session.lake.store
    store.dynamic_tables.set_frontier(made.id, plan_of(context, made).frontier, number=1)
    location = Path(lake.session.lake.location(table_named(lake, "t")))
    assert Insert(location, ("x",), "", None).commit()
    planned = plan_of(context, made)
    assert planned.choice.kind is RefreshKind.INCREMENTAL
    return planned


def understood(planned: PlannedRefresh) -> Understanding:
    query = planned.definition.query
    assert query is not None
    ids = {id for node in nodes_of(query.tree) for id in columns_of(node)}
    return Understanding(query, {id: ColumnType("string") for id in ids})


def looked_at(context: Context, planned: PlannedRefresh, answer: Understanding) -> Outlook:
    workshop = Workshop(
        context.lake,
        cast(SparkConnection, None),
        Answer(answer),
        pinned=lambda: nullcontext(own_text("")),
        current=lambda: nullcontext(own_text("")),
        new_view=lambda: "v",
    )
    return look_ahead(planned, workshop)


def test_a_query_that_was_understood_is_refreshed_by_what_changed(
    lake: headwater.Connection, context: Context
) -> None:
    planned = after_an_insert(lake, context, RefreshMode.AUTO)
    found = looked_at(context, planned, understood(planned))
    assert (found.choice.kind, found.choice.reason) == (
        RefreshKind.INCREMENTAL,
        Reason.ROWS_ADDED,
    )
    assert found.delta is not None


def test_a_query_that_spark_reads_otherwise_is_refreshed_in_full(
    lake: headwater.Connection, context: Context
) -> None:
    planned = after_an_insert(lake, context, RefreshMode.AUTO)
    problem = Problem(Reason.NOT_PROVEN, "its plan differs from ours")
    found = looked_at(context, planned, Understanding(problem=problem))
    assert (found.choice.kind, found.choice.reason) == (RefreshKind.FULL, Reason.NOT_PROVEN)
    assert "its plan differs from ours" in found.choice.words
    assert found.delta is None


def test_strict_fails_where_spark_reads_otherwise(
    lake: headwater.Connection, context: Context
) -> None:
    planned = after_an_insert(lake, context, RefreshMode.STRICT)
    problem = Problem(Reason.NOT_PROVEN, "its plan differs from ours")
    with pytest.raises(HeadwaterError) as raised:
        require_allowed(context, looked_at(context, planned, Understanding(problem=problem)))
    assert raised.value.condition == "NOT_INCREMENTAL"


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(RefreshMode.AUTO, RefreshKind.FULL), (RefreshMode.INCREMENTAL, RefreshKind.INCREMENTAL)],
)
def test_what_is_cheaper_in_full_is_done_so_unless_the_mode_forbids_it(
    lake: headwater.Connection, context: Context, mode: RefreshMode, kind: RefreshKind
) -> None:
    planned = after_an_insert(lake, context, mode)
    # All of a large table changed: the old rows would be read besides the new ones.
    sources = tuple(
        replace(
            source,
            facts=replace(
                source.facts,
                bytes=1 << 32,
                changed_bytes=1 << 33,
                rows=1000,
                changed_rows=2000,
            ),
        )
        for source in planned.sources
    )
    found = looked_at(context, replace(planned, sources=sources), understood(planned))
    assert found.choice.kind is kind
    if kind is RefreshKind.FULL:
        assert found.choice.reason is Reason.CHEAPER_IN_FULL
        assert "expected" in found.choice.words
