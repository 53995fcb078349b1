"""Frontiers of partitions: each moves with its own refreshes, and none outlives its rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.catalog.samples import (
    a_job,
    a_refresh,
    a_version,
    at,
    with_dynamic_table,
    with_schema,
)

from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    PartitionFrontier,
    RefreshKind,
    RefreshMark,
    RefreshState,
)
from headwater.catalog.jobs import JobState
from headwater.catalog.objects import TableShape
from headwater.catalog.partitions import Partition
from headwater.catalog.store import Store
from headwater.errors import TransientError

A, B = Partition((("p", "a"),)), Partition((("p", "b"),))
A1 = Partition((("p", "a"), ("q", None)))


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def a_frontier(position: int) -> Frontier:
    return Frontier({"source": position}, at(position), detail={"parameters": {"dt.args.x": "1"}})


def refreshed(
    store: Store, table: DynamicTable, number: int, partition: Partition | None, *, version: int
) -> None:
    """Record the commit of a refresh."""
    frontier = a_frontier(number)
    mark = RefreshMark(table.id, number, RefreshKind.FULL, frontier, partition)
    made = replace(a_version(version, operation="REFRESH"), refreshed=mark)
    shape = TableShape(delta_version=made.delta_version)
    before = store.tables.get_by_id(table.id)
    assert before is not None
    assert store.tables.record(
        table.id, shape, versions=[made], expected_delta_version=before.shape.delta_version
    )


def numbers(store: Store, table: DynamicTable) -> dict[Partition, int]:
    return {one.partition: one.number for one in store.dynamic_tables.partitions(table.id)}


def test_each_partition_has_its_own_frontier(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 1, A, version=2)
    refreshed(lake, made, 2, B, version=3)
    refreshed(lake, made, 3, A, version=4)
    assert lake.dynamic_tables.partitions(made.id) == (
        PartitionFrontier(A, a_frontier(3), 3, 3),
        PartitionFrontier(B, a_frontier(2), 2, 2),
    )
    now = lake.dynamic_tables.by_id(made.id)
    assert now is not None
    assert (now.frontier, now.refresh_number) == (None, 3)


def test_refreshes_of_other_partitions_may_overtake_each_other(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 2, B, version=2)
    refreshed(lake, made, 1, A, version=3)
    assert numbers(lake, made) == {A: 1, B: 2}


def test_the_frontier_of_a_partition_never_goes_back(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 5, A, version=2)
    refreshed(lake, made, 4, A, version=3)
    refreshed(lake, made, 3, A1, version=4)
    assert numbers(lake, made) == {A: 5}


def test_a_refresh_makes_the_partitions_inside_forgotten_and_leaves_those_around(
    lake: Store,
) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 1, A, version=2)
    refreshed(lake, made, 2, A1, version=3)
    assert numbers(lake, made) == {A: 1, A1: 2}
    refreshed(lake, made, 3, A, version=4)
    assert numbers(lake, made) == {A: 3}


def test_a_refresh_of_the_whole_table_makes_all_partitions_forgotten(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 1, A, version=2)
    refreshed(lake, made, 2, None, version=3)
    assert numbers(lake, made) == {}
    refreshed(lake, made, 3, B, version=4)
    now = lake.dynamic_tables.by_id(made.id)
    assert now is not None
    assert now.frontier is None, "no frontier holds for all rows"


def test_a_refresh_that_found_nothing_new_moves_the_partition_it_was_about(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 1, A, version=2)
    lake.dynamic_tables.set_frontier(made.id, a_frontier(9), number=2, partition=A)
    assert lake.dynamic_tables.partitions(made.id) == (PartitionFrontier(A, a_frontier(9), 2, 1),)


def test_partitions_are_none_of_another_query(lake: Store) -> None:
    made = with_dynamic_table(lake)
    refreshed(lake, made, 1, A, version=2)
    before = numbers(lake, made)
    lake.dynamic_tables.replace(replace(made, schedule=None))
    assert numbers(lake, made) == before
    lake.dynamic_tables.replace(replace(made, query="SELECT 2"))
    assert numbers(lake, made) == {}


def test_partitions_that_share_no_row_may_be_refreshed_at_once(lake: Store) -> None:
    made = with_dynamic_table(lake)
    job = a_job(state=JobState.RUNNING)
    lake.jobs.start(job)

    def start(partition: Partition | None) -> int:
        detail = {} if partition is None else {"partition": partition.key}
        return lake.refreshes.start(a_refresh(made, job_id=job.id, detail=detail)).number

    assert [start(A), start(B)] == [1, 2]
    for partition in (A, A1, None):
        with pytest.raises(TransientError) as caught:
            start(partition)
        assert caught.value.condition == "REFRESH_RUNNING"
    done = a_refresh(made, number=1, job_id=job.id, state=RefreshState.SUCCEED)
    lake.refreshes.finish(done)
    assert start(A1) == 3


def test_a_mark_survives_its_commit() -> None:
    mark = RefreshMark("d", 3, RefreshKind.FULL, a_frontier(1), A1)
    assert RefreshMark.from_dict(mark.to_dict()) == mark
    assert "partition" not in replace(mark, partition=None).to_dict()
