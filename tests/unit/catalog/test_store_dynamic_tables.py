"""Dynamic tables in the store: definitions, frontiers that move with commits, and refreshes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.catalog.samples import (
    WORKSPACE,
    a_dynamic_table,
    a_job,
    a_refresh,
    a_table,
    a_version,
    at,
    with_dynamic_table,
    with_schema,
    with_table,
)

from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    OwnColumn,
    RefreshKind,
    RefreshMark,
    RefreshMode,
    RefreshState,
    RefreshTrigger,
    Schedule,
)
from headwater.catalog.jobs import JobState
from headwater.catalog.objects import TableKind, TableShape, TableVersion
from headwater.catalog.store import Store
from headwater.errors import TransientError
from headwater.names import QualifiedName


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def a_frontier(position: int = 5, **changes: Any) -> Frontier:
    return replace(Frontier({"source": position}, at(position), "f1", {"zone": "UTC"}), **changes)


def refreshing(
    table: DynamicTable, number: int, position: int, *, version: int = 2
) -> TableVersion:
    """The version that the commit of a refresh makes."""
    mark = RefreshMark(table.id, number, RefreshKind.INCREMENTAL, a_frontier(position))
    made = a_version(version, operation="REFRESH", rows_inserted=3)
    return replace(made, refreshed=mark)


def record(store: Store, table_id: str, version: TableVersion, *, expected: int = -1) -> bool:
    shape = TableShape(delta_version=version.delta_version)
    return store.tables.record(table_id, shape, versions=[version], expected_delta_version=expected)


def now_of(store: Store, table: DynamicTable) -> DynamicTable:
    found = store.dynamic_tables.by_id(table.id)
    assert found is not None
    return found


def test_a_dynamic_table_reads_back_as_it_was_written(lake: Store) -> None:
    made = with_dynamic_table(
        lake,
        "näive ☂",
        query="SELECT 'it''s' AS é FROM a -- end",
        query_schema="other",
        mode=RefreshMode.STRICT,
        schedule=Schedule("current_timestamp()", at(60), 90, "DEFAULT"),
        sources=("t2", "t1"),
        suspended=True,
        initialize="ON_CREATE",
    )
    assert lake.dynamic_tables.get(WORKSPACE, "public", "näive ☂") == made
    assert lake.dynamic_tables.by_id(made.id) == made
    assert lake.dynamic_tables.list(WORKSPACE) == [made]
    assert lake.dynamic_tables.list(WORKSPACE, "other") == []


def test_a_materialized_view_is_a_dynamic_table_of_another_kind(lake: Store) -> None:
    table = with_dynamic_table(lake)
    view = with_dynamic_table(lake, "v", materialized_view=True, query_rewrite=False)
    assert lake.dynamic_tables.list(WORKSPACE) == [table, view]
    assert lake.dynamic_tables.materialized_views(WORKSPACE) == [view]
    for made in (table, view):
        job = a_job()
        lake.jobs.start(job)
        lake.refreshes.start(a_refresh(made, job_id=job.id))
    found = lake.refreshes.list(kind=TableKind.MATERIALIZED_VIEW)
    assert [refresh.table_id for refresh in found] == [view.id]


def test_its_definition_appears_with_the_table_and_goes_with_a_failed_creation(lake: Store) -> None:
    table = a_table("totals", kind=TableKind.DYNAMIC)
    lake.dynamic_tables.begin_create(table, a_dynamic_table(table))
    assert lake.dynamic_tables.list(WORKSPACE) == []
    assert lake.tables.abandon(table.id)
    assert lake.dynamic_tables.by_id(table.id) is None


def test_a_dropped_one_is_out_of_sight_and_comes_back_with_its_table(lake: Store) -> None:
    made = with_dynamic_table(lake, sources=("t1",))
    table = lake.tables.get_by_id(made.id)
    assert table is not None
    dropped = lake.tables.drop(table, at(5))
    assert lake.dynamic_tables.list(WORKSPACE) == []
    assert lake.dynamic_tables.readers_of("t1") == []
    lake.tables.undrop(dropped)
    assert lake.dynamic_tables.readers_of("t1") == [made]


def test_readers_are_those_that_name_the_source(lake: Store) -> None:
    first = with_dynamic_table(lake, "a", sources=("t1", "t2"))
    second = with_dynamic_table(lake, "b", sources=("t2",))
    assert lake.dynamic_tables.readers_of("t1") == [first]
    assert {table.name for table in lake.dynamic_tables.readers_of("t2")} == {"a", "b"}
    lake.dynamic_tables.replace(replace(second, sources=("t3",)))
    assert lake.dynamic_tables.readers_of("t2") == [first]


def test_another_definition_keeps_the_frontier(lake: Store) -> None:
    made = with_dynamic_table(lake)
    record(lake, made.id, refreshing(made, 1, 7))
    changed = replace(now_of(lake, made), query="SELECT 2 AS two", mode=RefreshMode.FULL)
    lake.dynamic_tables.replace(changed)
    assert now_of(lake, made) == changed
    assert changed.frontier == a_frontier(7)


def test_another_definition_may_say_what_the_rows_are_worth(lake: Store) -> None:
    made = with_dynamic_table(lake)
    record(lake, made.id, refreshing(made, 3, 7))
    worth = a_frontier(7, fingerprint="", detail={"why": "it is another query"})
    columns = (OwnColumn("a b", "int", "INT", "it's"), OwnColumn("c", "bigint", "BIGINT"))
    lake.dynamic_tables.replace(replace(made, columns=columns), frontier=worth)
    found = now_of(lake, made)
    assert (found.frontier, found.delta_version, found.refresh_number) == (worth, 1, 3)
    assert found.columns == columns


def test_a_frontier_moves_with_the_commit_that_refreshed_the_table(lake: Store) -> None:
    made = with_dynamic_table(lake)
    assert record(lake, made.id, refreshing(made, 4, 7))
    moved = now_of(lake, made)
    assert (moved.frontier, moved.refresh_number, moved.delta_version) == (a_frontier(7), 4, 1)


def test_a_commit_that_was_recorded_already_moves_nothing(lake: Store) -> None:
    made = with_dynamic_table(lake)
    assert not record(lake, made.id, refreshing(made, 1, 7), expected=99)
    assert now_of(lake, made).frontier is None


@pytest.mark.parametrize("number", [1, 4])
def test_a_frontier_never_goes_back(lake: Store, number: int) -> None:
    made = with_dynamic_table(lake)
    record(lake, made.id, refreshing(made, 4, 7))
    record(lake, made.id, refreshing(made, number, 99, version=3), expected=1)
    assert now_of(lake, made).frontier == a_frontier(7)


def test_a_mark_in_a_copy_of_the_files_does_not_count(lake: Store) -> None:
    made = with_dynamic_table(lake)
    copy = with_table(lake, "copy")
    record(lake, copy.id, refreshing(made, 1, 7))
    assert now_of(lake, made).frontier is None


def test_a_refresh_without_data_moves_the_frontier_and_keeps_the_version(lake: Store) -> None:
    made = with_dynamic_table(lake)
    record(lake, made.id, refreshing(made, 1, 7))
    lake.dynamic_tables.set_frontier(made.id, a_frontier(9), number=2)
    moved = now_of(lake, made)
    assert (moved.frontier, moved.refresh_number, moved.delta_version) == (a_frontier(9), 2, 1)


def test_a_refresh_reads_back_as_it_was_written(lake: Store) -> None:
    made = with_dynamic_table(lake)
    started = lake.refreshes.start(
        a_refresh(made, source_tables=(QualifiedName(WORKSPACE, "public", "events"),))
    )
    assert started.number == 1
    ended = replace(
        started,
        state=RefreshState.SUCCEED,
        trigger=RefreshTrigger.LH_SCHEDULED,
        ended_at=at(3),
        kind=RefreshKind.FULL,
        reason="FIRST_REFRESH",
        rows_inserted=5,
        rows_deleted=0,
        detail={"write": "overwrite"},
    )
    lake.refreshes.finish(ended)
    assert lake.refreshes.list(WORKSPACE) == [ended]
    assert lake.refreshes.list("other") == []


def test_refreshes_are_listed_newest_first_and_cut_at_the_limit(lake: Store) -> None:
    first, second = with_dynamic_table(lake, "a"), with_dynamic_table(lake, "b")
    for second_of, table in ((1, first), (2, second), (3, first)):
        begun = lake.refreshes.start(a_refresh(table, started_at=at(second_of)))
        lake.refreshes.finish(replace(begun, state=RefreshState.SUCCEED, ended_at=at(second_of)))
    names = [(refresh.name, refresh.number) for refresh in lake.refreshes.list(WORKSPACE)]
    assert names == [("a", 2), ("b", 1), ("a", 1)]
    assert [refresh.name for refresh in lake.refreshes.list(limit=2)] == ["a", "b"]
    assert [refresh.number for refresh in lake.refreshes.list(table_id=first.id)] == [2, 1]
    assert [refresh.name for refresh in lake.refreshes.list(since=at(2))] == ["a", "b"]
    assert lake.refreshes.last_number(first.id) == 2
    assert lake.refreshes.delete_before(at(2)) == 1
    # The newest of each table stays, however old it is: numbers go on from it.
    assert lake.refreshes.delete_before(at(99)) == 0
    assert lake.refreshes.last_number(first.id) == 2


def test_two_refreshes_of_one_table_do_not_run_at_once(lake: Store) -> None:
    made, other = with_dynamic_table(lake, "a"), with_dynamic_table(lake, "b")
    job = a_job(id="j1")
    lake.jobs.start(job)
    lake.refreshes.start(a_refresh(made))
    with pytest.raises(TransientError, match="REFRESH_RUNNING"):
        lake.refreshes.start(a_refresh(made, job_id="j2"))
    lake.refreshes.start(a_refresh(other, job_id="j2"))
    lake.jobs.finish(replace(job, state=JobState.FAILED, ended_at=at(9), error="broken"))
    assert lake.refreshes.start(a_refresh(made, job_id="j2")).number == 2


def test_a_refresh_whose_job_has_ended_without_a_word_has_failed(lake: Store) -> None:
    made = with_dynamic_table(lake)
    job = a_job(id="j1")
    lake.jobs.start(job)
    lake.refreshes.start(a_refresh(made))
    assert lake.refreshes.list()[0].state is RefreshState.RUNNING
    lake.jobs.finish(replace(job, state=JobState.FAILED, ended_at=at(9), error="broken"))
    shown = lake.refreshes.list()[0]
    assert (shown.state, shown.ended_at) == (RefreshState.FAILED, at(9))
    assert shown.error_message == "broken"


def test_a_refresh_whose_commit_is_found_later_has_succeeded(lake: Store) -> None:
    made = with_dynamic_table(lake)
    job = a_job(id="j1")
    lake.jobs.start(job)
    started = lake.refreshes.start(a_refresh(made))
    record(lake, made.id, refreshing(made, started.number, 7))
    shown = lake.refreshes.list()[0]
    assert (shown.state, shown.kind) == (RefreshState.SUCCEED, RefreshKind.INCREMENTAL)
    assert (shown.rows_inserted, shown.ended_at) == (3, a_version(2).committed_at)
    lake.refreshes.finish(replace(started, state=RefreshState.FAILED, error_message="too late"))
    assert lake.refreshes.list()[0].state is RefreshState.SUCCEED


def test_numbers_go_on_when_old_refreshes_are_forgotten(lake: Store) -> None:
    made = with_dynamic_table(lake)
    record(lake, made.id, refreshing(made, 6, 7))
    assert lake.refreshes.start(a_refresh(made)).number == 7
