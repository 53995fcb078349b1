"""Recording what commits did to a table, and its history."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from tests.unit.catalog.samples import (
    WORKSPACE,
    FakeClock,
    a_table,
    a_version,
    at,
    with_schema,
)

from headwater.catalog.objects import Operation, Table, TableShape, TableVersion, Totals
from headwater.catalog.store import Store
from headwater.errors import InternalError


def created(store: Store) -> Table:
    """A table at Delta version 0 with its first version."""
    with_schema(store)
    table = a_table(shape=TableShape(delta_version=0))
    return store.tables.activate(store.tables.begin_create(table), a_version(1))


def test_recording_stores_shape_and_versions_together(store: Store) -> None:
    table = created(store)
    shape = TableShape(delta_version=2, totals=Totals(10, 2000))
    versions = [
        a_version(2, job_id="j1", totals=Totals(5, 1000), rows_inserted=5),
        a_version(3, operation="DELETE", rows_deleted=1, rows_updated=0),
    ]
    assert store.tables.record(table.id, shape, versions=versions, expected_delta_version=0)
    assert store.versions.list(table.id) == [versions[1], versions[0], a_version(1)]
    found = store.tables.get(WORKSPACE, "public", "orders")
    assert found == replace(table, shape=shape, modified_at=at(3))


def test_recording_without_a_version_updates_the_shape_alone(
    store: Store, clock: FakeClock
) -> None:
    table = created(store)
    clock.advance(60)
    shape = TableShape(delta_version=1)
    assert store.tables.record(table.id, shape, versions=[], expected_delta_version=0)
    assert store.versions.list(table.id) == [a_version(1)]
    assert store.tables.get_by_id(table.id) == replace(table, shape=shape, modified_at=at(60))


def test_commits_that_were_recorded_already_are_not_recorded_again(store: Store) -> None:
    table = created(store)
    shape = TableShape(delta_version=1)
    first = store.tables.record(table.id, shape, versions=[a_version(2)], expected_delta_version=0)
    second = store.tables.record(
        table.id,
        replace(shape, comment="late"),
        versions=[a_version(2, user="eve")],
        expected_delta_version=0,
    )
    assert (first, second) == (True, False)
    assert store.versions.last(table.id) == a_version(2)
    found = store.tables.get_by_id(table.id)
    assert found is not None
    assert found.shape == shape


def test_nothing_is_recorded_for_a_table_that_is_not_active(store: Store) -> None:
    table = created(store)
    store.tables.drop(table, at(1))
    shape = TableShape(delta_version=1)
    for table_id in (table.id, "unknown"):
        assert not store.tables.record(
            table_id, shape, versions=[a_version(2)], expected_delta_version=0
        )
    assert store.versions.list(table.id) == [a_version(1)]


def test_a_version_number_that_is_taken_leaves_shape_and_history_as_they_were(
    store: Store,
) -> None:
    table = created(store)
    with pytest.raises(InternalError):
        store.tables.record(
            table.id,
            TableShape(delta_version=1),
            versions=[a_version(2), a_version(1)],
            expected_delta_version=0,
        )
    assert store.tables.get_by_id(table.id) == table
    assert store.versions.list(table.id) == [a_version(1)]


def test_of_two_connections_that_record_one_commit_at_once_one_succeeds(
    url: str, clock: FakeClock
) -> None:
    stores = [Store.open(url, clock=clock) for _ in range(2)]
    table = created(stores[0])

    def attempt(store: Store, number: int, barrier: Barrier) -> bool:
        barrier.wait()
        return store.tables.record(
            table.id,
            TableShape(delta_version=number + 1),
            versions=[a_version(number + 2)],
            expected_delta_version=number,
        )

    with ThreadPoolExecutor(2) as pool:
        for number in range(10):
            barrier = Barrier(2)
            tries = [pool.submit(attempt, store, number, barrier) for store in stores]
            assert sorted(t.result() for t in tries) == [False, True]
    assert [v.version for v in stores[0].versions.list(table.id)] == list(range(11, 0, -1))
    for store in stores:
        store.close()


def test_versions_are_found_by_number_time_and_place(store: Store) -> None:
    table = created(store)
    versions = [a_version(n) for n in range(2, 6)]
    shape = TableShape(delta_version=4)
    store.tables.record(table.id, shape, versions=versions, expected_delta_version=0)
    assert store.versions.last(table.id) == a_version(5)
    assert store.versions.first(table.id) == a_version(1)
    assert store.versions.get(table.id, 3) == a_version(3)
    assert store.versions.get(table.id, 9) is None
    assert [v.version for v in store.versions.list(table.id, 2)] == [5, 4]
    assert store.versions.at_or_before(table.id, at(3)) == a_version(3)
    assert store.versions.at_or_before(table.id, at(3.999999)) == a_version(3)
    assert store.versions.at_or_before(table.id, at(0.999999)) is None
    assert store.versions.at_or_before(table.id, at(1e6)) == a_version(5)


def test_of_versions_with_one_time_the_later_number_is_current(store: Store) -> None:
    table = created(store)
    pair = [a_version(n, committed_at=at(2)) for n in (2, 3)]
    shape = TableShape(delta_version=2)
    store.tables.record(table.id, shape, versions=pair, expected_delta_version=0)
    assert store.versions.at_or_before(table.id, at(2)) == pair[1]


def test_a_table_without_history_has_no_first_and_no_last_version(store: Store) -> None:
    assert store.versions.first("unknown") is None
    assert store.versions.last("unknown") is None
    assert store.versions.list("unknown") == []


def test_versions_are_found_by_the_job_that_made_them(store: Store) -> None:
    table = created(store)
    made = a_version(2, job_id="j1")
    shape = TableShape(delta_version=1)
    store.tables.record(table.id, shape, versions=[made], expected_delta_version=0)
    assert store.versions.by_job("j1") == [(table.id, made)]
    assert store.versions.by_job("j2") == []


def test_versions_are_found_from_a_delta_version_on(store: Store) -> None:
    table = created(store)
    versions = [
        a_version(2, delta_version=4, operation="ALTER"),
        a_version(3, delta_version=5, operation="INSERT_INTO"),
        a_version(4, delta_version=7, operation="INSERT_INTO"),
    ]
    shape = TableShape(delta_version=7)
    store.tables.record(table.id, shape, versions=versions, expected_delta_version=0)
    history = store.versions
    assert [history.after(table.id, n) for n in (3, 4, 6, 7)] == [*versions, None]
    numbers = [found and found.version for found in map(_current(store, table), (0, 3, 4, 6, 9))]
    assert numbers == [1, 1, 2, 3, 4]
    assert history.after("another", 0) is None


def _current(store: Store, table: Table) -> Callable[[int], TableVersion | None]:
    return lambda delta_version: store.versions.at_delta(table.id, delta_version)


def test_many_tables_are_asked_for_at_once(store: Store) -> None:
    first = created(store)
    second = a_table(id="t2", name="items", shape=TableShape(delta_version=3))
    second = store.tables.activate(store.tables.begin_create(second), a_version(1, delta_version=3))
    shape = TableShape(delta_version=2)
    added = a_version(2, delta_version=2, operation=Operation.COMPACTION)
    store.tables.record(first.id, shape, versions=[added], expected_delta_version=0)
    found = store.versions.last_of([first.id, second.id, "nope"])
    assert found == {first.id: added, second.id: a_version(1, delta_version=3)}
    assert store.versions.last_of([]) == {}
    assert set(store.tables.by_ids([first.id, second.id, "nope"])) == {first.id, second.id}
    before = store.versions.at_delta(first.id, 0)
    around = store.versions.around(
        [(first.id, 0, False), (first.id, 0, True), (second.id, 3, True)]
    )
    assert [(one.reached, one.following) for one in around] == [
        (before, added),
        (before, None),  # it keeps all rows as they are
        (a_version(1, delta_version=3), None),
    ]
