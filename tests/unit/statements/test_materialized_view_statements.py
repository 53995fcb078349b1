"""Materialized views on a lake whose Spark never starts: freshness, schedules, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert
from tests.unit.statements.test_dynamic_table_statements import (
    dynamic_table,
    now_of,
    table_named,
)

import headwater
from headwater.catalog.dynamic_tables import DynamicTable, Frontier, RefreshKind, Schedule
from headwater.catalog.objects import TableKind
from headwater.errors import HeadwaterError
from headwater.refresh.pins import WavePins
from headwater.refresh.problems import IGNORED
from headwater.run_refreshes import RefreshSessions
from headwater.runtime.clock import now
from headwater.statements.context import Context
from headwater.statements.dispatch import execute_relation
from headwater.statements.fresh_views import fresh_view, why_stale
from headwater.statements.query_rewrite import rewritten
from headwater.statements.refreshing import plan_of
from headwater.tables.versions import catch_up

SCHEDULE = Schedule(start=now(), interval_seconds=60)


@pytest.fixture
def context(lake: headwater.Connection) -> Context:
    return Context(lake.session.state, "job", "", [], execute_relation)


@pytest.fixture
def view(lake: headwater.Connection) -> DynamicTable:
    source = table_named(lake, "t").id
    return dynamic_table(
        lake, "v", sources=(source,), schedule=SCHEDULE, kind=TableKind.MATERIALIZED_VIEW
    )


def refresh(lake: headwater.Connection, context: Context, view: DynamicTable) -> Frontier:
    """Say that the view has just been refreshed."""
    frontier = plan_of(context, view).frontier
    lake.session.lake.store.dynamic_tables.set_frontier(view.id, frontier, number=1)
    return frontier


def write(lake: headwater.Connection, name: str) -> None:
    table = table_named(lake, name)
    location = Path(lake.session.lake.location(table))
    assert Insert(location, ("x",), "", None).commit()
    catch_up(lake.session.lake, table)


def staleness(lake: headwater.Connection, context: Context, view: DynamicTable) -> str | None:
    return why_stale(plan_of(context, now_of(lake, view)))


def test_a_view_is_fresh_until_a_row_of_its_source_changes(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    assert staleness(lake, context, view) == "it was never refreshed"
    refresh(lake, context, view)
    assert staleness(lake, context, view) is None
    write(lake, "t")
    assert staleness(lake, context, view) == "it is stale: rows only came"


def test_a_view_is_stale_under_settings_that_change_results(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    refresh(lake, context, view)
    lake.session.state.settings["spark.sql.ansi.enabled"] = "false"
    found = staleness(lake, context, view)
    assert found is not None
    assert found.startswith("it is stale: a setting")


def test_a_view_that_somebody_else_wrote_to_is_stale(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    refresh(lake, context, view)
    write(lake, "v")
    found = staleness(lake, context, view)
    assert found is not None
    assert "changed by something else than a refresh" in found


def test_a_view_that_overlooked_a_change_is_not_used(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    frontier = refresh(lake, context, view)
    late = replace(frontier, detail={**frontier.detail, IGNORED: ["t"]})
    lake.session.lake.store.dynamic_tables.set_frontier(view.id, late, number=2)
    assert staleness(lake, context, view) is not None


def test_a_view_that_says_no_is_not_even_looked_at(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    refresh(lake, context, view)
    lake.sql("ALTER MATERIALIZED VIEW v DISABLE QUERY REWRITE")
    assert fresh_view(context, now_of(lake, view)) == "it says DISABLE QUERY REWRITE"


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("SELECT line FROM t", "public.v is not read: it was never refreshed"),
        ("SELECT line FROM t TIMESTAMP AS OF '2026-01-01'", "or an older version"),
        ("SELECT * FROM (SHOW TABLES)", "what is no table"),
        ("SELECT * FROM information_schema.tables", "what is no table"),
        ("SELECT * FROM u", "none: TABLE_NOT_FOUND"),
        ("SELECT 1", "no materialized view reads only what the query reads"),
    ],
)
def test_a_query_that_no_view_answers_is_left_alone(
    context: Context, view: DynamicTable, query: str, note: str
) -> None:
    found = rewritten(context, query)
    assert found.text is None
    assert note in found.notes[0]


def test_a_temporary_view_hides_a_table(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    lake.session.state.temporary_views.add("t")
    assert "what is no table" in rewritten(context, "SELECT line FROM t").notes[0]


def test_the_schedule_refreshes_a_view_by_its_own_statement(
    lake: headwater.Connection, context: Context, view: DynamicTable
) -> None:
    refresh(lake, context, view)
    sessions = RefreshSessions(lake.session.lake)
    scheduled = lake.session.lake.store.schedules.get(view.id)
    assert scheduled is not None
    done = sessions.run(scheduled, WavePins(now()))
    assert done.kind is RefreshKind.NO_DATA
    job = lake.session.lake.store.jobs.get(done.job_id)
    assert job is not None
    assert job.text.startswith("REFRESH MATERIALIZED VIEW")
    sessions.close()
    rows = lake.sql("SHOW MATERIALIZED VIEW REFRESH HISTORY").rows
    assert [row[2] for row in rows] == ["v"]
    assert lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY").rows == []


@pytest.mark.parametrize(
    ("text", "condition", "hint"),
    [
        ("REFRESH DYNAMIC TABLE v", "NOT_A_DYNAMIC_TABLE", "REFRESH MATERIALIZED VIEW public.v"),
        ("DROP DYNAMIC TABLE v", "NOT_A_DYNAMIC_TABLE", "DROP MATERIALIZED VIEW public.v"),
        ("DROP TABLE v", "NOT_A_TABLE", "DROP MATERIALIZED VIEW public.v"),
        ("REFRESH MATERIALIZED VIEW t", "NOT_A_MATERIALIZED_VIEW", "SHOW TABLES WHERE"),
        ("DROP MATERIALIZED VIEW t", "NOT_A_MATERIALIZED_VIEW", "DROP TABLE public.t"),
        ("INSERT INTO v VALUES ('x')", "MATERIALIZED_VIEW_WRITTEN", "REFRESH MATERIALIZED VIEW"),
        ("UPDATE v SET line = 'x'", "MATERIALIZED_VIEW_WRITTEN", "REFRESH MATERIALIZED VIEW"),
        ("TRUNCATE TABLE v", "MATERIALIZED_VIEW_WRITTEN", "REFRESH MATERIALIZED VIEW"),
        ("RESTORE TABLE v TO VERSION AS OF 1", "MATERIALIZED_VIEW_RESTORED", "TIMESTAMP AS OF"),
        ("VERIFY MATERIALIZED VIEW v", "NOT_REFRESHED_YET", "REFRESH MATERIALIZED VIEW"),
        ("CREATE TABLE v (a INT)", "TABLE_ALREADY_EXISTS", "DROP MATERIALIZED VIEW public.v"),
    ],
)
def test_what_is_refused_names_what_to_type(
    lake: headwater.Connection, view: DynamicTable, text: str, condition: str, hint: str
) -> None:
    lake.session.state.settings["cz.optimizer.incremental.backfill.enabled"] = "true"
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    assert caught.value.condition == condition
    assert hint in (caught.value.hint or "")


def test_a_view_is_suspended_renamed_dropped_and_brought_back(
    lake: headwater.Connection, view: DynamicTable
) -> None:
    lake.sql("ALTER MATERIALIZED VIEW v SUSPEND")
    assert now_of(lake, view).suspended
    lake.sql("ALTER MATERIALIZED VIEW v RESUME; ALTER MATERIALIZED VIEW v RENAME TO w")
    assert not now_of(lake, view).suspended
    lake.sql("DROP MATERIALIZED VIEW w")
    assert lake.sql("SHOW TABLES WHERE is_materialized_view = true").rows == []
    lake.sql("UNDROP MATERIALIZED VIEW w")
    (row,) = lake.sql("SHOW TABLES WHERE is_materialized_view = true").rows
    assert row == ("public", "w", False, True, False, False)
