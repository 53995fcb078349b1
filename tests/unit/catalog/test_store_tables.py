"""Tables and views in the store: their states, their names, their shapes."""

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
    a_view,
    at,
    with_schema,
    with_table,
)

from headwater.catalog.objects import TableColumn, TableShape, TableState, Totals
from headwater.catalog.store import Store
from headwater.errors import InternalError, UserError

SHAPE = TableShape(
    delta_version=3,
    columns=(
        TableColumn("id", "bigint", nullable=False),
        TableColumn("näme", "struct<a:int,b:array<string>>", comment="it's ☂"),
    ),
    partition_columns=("id",),
    cluster_columns=("näme",),
    properties={"delta.appendOnly": "true"},
    comment="orders of all shops",
    totals=Totals(rows=2**40, bytes=2**50),
)


def test_a_table_reads_back_as_it_was_written(store: Store) -> None:
    with_schema(store)
    wanted = a_table(managed=False, created_by_job="j1", modified_at=at(2), shape=SHAPE)
    made = store.tables.activate(store.tables.begin_create(wanted), a_version(1))
    assert made == replace(wanted, state=TableState.ACTIVE)
    assert store.tables.get(WORKSPACE, "public", "orders") == made
    assert store.tables.get_by_id(wanted.id) == made
    assert store.tables.list(WORKSPACE) == [made]
    assert store.tables.list(WORKSPACE, "public") == [made]
    assert store.tables.list(WORKSPACE, "other") == []
    assert store.tables.names(WORKSPACE, "public") == ["orders"]
    assert store.versions.list(wanted.id) == [a_version(1)]


def test_a_table_is_invisible_until_it_is_activated(store: Store) -> None:
    with_schema(store)
    creating = store.tables.begin_create(a_table())
    assert store.tables.get(WORKSPACE, "public", "orders") is None
    assert store.tables.list(WORKSPACE) == []
    assert store.tables.names(WORKSPACE, "public") == []
    assert store.tables.creating() == [creating]
    store.tables.activate(replace(creating, shape=SHAPE), None)
    assert store.tables.creating() == []
    found = store.tables.get(WORKSPACE, "public", "orders")
    assert found is not None
    assert found.shape == SHAPE


def test_an_abandoned_table_leaves_no_trace_and_frees_its_name(store: Store) -> None:
    with_schema(store)
    creating = store.tables.begin_create(a_table())
    assert store.tables.abandon(creating.id)
    assert not store.tables.abandon(creating.id)
    assert store.tables.get_by_id(creating.id) is None
    with_table(store)


def test_an_active_table_cannot_be_abandoned(store: Store) -> None:
    with_schema(store)
    table = with_table(store)
    assert not store.tables.abandon(table.id)
    assert store.tables.get_by_id(table.id) == table


def test_a_table_needs_its_schema(store: Store) -> None:
    with_schema(store)
    with pytest.raises(UserError) as caught:
        store.tables.begin_create(a_table(schema="other"))
    assert caught.value.condition == "SCHEMA_NOT_FOUND"


@pytest.mark.parametrize("owner", ["table", "view", "creating"])
def test_a_taken_name_is_refused_with_the_kind_of_its_owner(store: Store, owner: str) -> None:
    with_schema(store)
    if owner == "view":
        store.tables.insert_active(a_view("orders"))
    else:
        store.tables.begin_create(a_table())
    kind = "view" if owner == "view" else "table"
    for attempt in (store.tables.begin_create, store.tables.insert_active):
        with pytest.raises(UserError) as caught:
            attempt(a_table())
        assert caught.value.condition == "TABLE_ALREADY_EXISTS"
        assert caught.value.message == f"{kind} 'public.orders' already exists"
        assert caught.value.hint is not None
        assert f"DROP {kind.upper()} public.orders" in caught.value.hint


def test_of_two_connections_that_create_one_name_at_once_one_wins(
    url: str, clock: FakeClock
) -> None:
    stores = [Store.open(url, clock=clock) for _ in range(2)]
    with_schema(stores[0])

    def attempt(store: Store, name: str, barrier: Barrier) -> str:
        barrier.wait()
        try:
            store.tables.begin_create(a_table(name))
        except UserError as error:
            return error.condition
        return "created"

    with ThreadPoolExecutor(2) as pool:
        for round_ in range(10):
            barrier = Barrier(2)
            tries = [pool.submit(attempt, s, f"t{round_}", barrier) for s in stores]
            assert sorted(t.result() for t in tries) == ["TABLE_ALREADY_EXISTS", "created"]
    assert len(stores[0].tables.creating()) == 10
    for store in stores:
        store.close()


def test_a_dropped_table_is_gone_but_can_be_found_and_brought_back(store: Store) -> None:
    with_schema(store)
    table = with_table(store, shape=SHAPE)
    dropped = store.tables.drop(table, at(1))
    assert store.tables.get(WORKSPACE, "public", "orders") is None
    assert store.tables.dropped(WORKSPACE) == [dropped]
    assert store.tables.dropped(WORKSPACE, "public") == [dropped]
    assert store.tables.latest_dropped(WORKSPACE, "public", "orders") == dropped
    assert store.tables.undrop(dropped) == table
    assert store.tables.get(WORKSPACE, "public", "orders") == table
    assert store.tables.dropped(WORKSPACE) == []


def test_the_latest_of_several_dropped_tables_comes_first(store: Store) -> None:
    with_schema(store)
    first = store.tables.drop(with_table(store), at(1))
    second = store.tables.drop(with_table(store), at(2))
    assert store.tables.dropped(WORKSPACE) == [second, first]
    assert store.tables.latest_dropped(WORKSPACE, "public", "orders") == second


def test_a_table_is_not_brought_back_over_another_of_its_name(store: Store) -> None:
    with_schema(store)
    dropped = store.tables.drop(with_table(store), at(1))
    with_table(store)
    with pytest.raises(UserError) as caught:
        store.tables.undrop(dropped)
    assert caught.value.condition == "TABLE_ALREADY_EXISTS"
    assert caught.value.hint == ("first rename it: ALTER TABLE public.orders RENAME TO orders_old")
    assert store.tables.get_by_id(dropped.id) == dropped


def test_a_table_of_a_dropped_schema_comes_back_when_the_schema_does(store: Store) -> None:
    schema = with_schema(store)
    table = with_table(store)
    store.schemas.drop_with_tables(schema, at(1))
    dropped = store.tables.latest_dropped(WORKSPACE, "public", "orders")
    assert dropped is not None
    with pytest.raises(UserError, match="SCHEMA_NOT_FOUND"):
        store.tables.undrop(dropped)
    with_schema(store)
    assert store.tables.undrop(dropped) == table
    assert store.tables.list(WORKSPACE, "public") == [table]


def test_a_table_is_renamed_within_and_across_schemas(store: Store, clock: FakeClock) -> None:
    with_schema(store)
    with_schema(store, "archive")
    table = with_table(store)
    clock.advance(5)
    renamed = store.tables.rename(table, schema="public", name="old_orders")
    assert renamed == replace(table, name="old_orders", modified_at=at(5))
    moved = store.tables.rename(renamed, schema="archive", name="orders")
    assert store.tables.list(WORKSPACE) == [moved]
    assert moved.location == table.location


def test_a_table_cannot_take_the_name_of_another(store: Store) -> None:
    with_schema(store)
    table = with_table(store)
    store.tables.insert_active(a_view("recent"))
    with pytest.raises(UserError, match=r"ALREADY_EXISTS: view 'public\.recent'"):
        store.tables.rename(table, schema="public", name="recent")
    assert store.tables.get(WORKSPACE, "public", "orders") == table


def test_a_view_is_replaced_in_place_and_keeps_its_identity(store: Store) -> None:
    with_schema(store)
    old = store.tables.replace_view(a_view(view_text="SELECT 1"))
    new = store.tables.replace_view(a_view(view_text="SELECT 2", shape=SHAPE, modified_at=at(9)))
    assert new.id == old.id
    assert new == replace(old, view_text="SELECT 2", shape=SHAPE, modified_at=at(9))
    assert store.tables.list(WORKSPACE) == [new]


def test_a_view_does_not_replace_a_table(store: Store) -> None:
    with_schema(store)
    table = with_table(store)
    with pytest.raises(UserError, match=r"ALREADY_EXISTS: table 'public\.orders'"):
        store.tables.replace_view(a_view("orders"))
    assert store.tables.list(WORKSPACE) == [table]


def test_purging_removes_a_dropped_table_with_its_history(store: Store) -> None:
    with_schema(store)
    table = store.tables.activate(store.tables.begin_create(a_table()), a_version(1))
    store.tables.drop(table, at(1))
    assert store.tables.purge(table.id)
    assert store.tables.get_by_id(table.id) is None
    assert store.versions.list(table.id) == []
    assert not store.tables.purge(table.id)


def test_a_table_that_is_not_dropped_is_not_purged(store: Store) -> None:
    with_schema(store)
    table = with_table(store)
    with pytest.raises(InternalError) as caught:
        store.tables.purge(table.id)
    assert caught.value.condition == "TABLE_STATE_ILLEGAL"
    assert store.tables.get_by_id(table.id) == table


@pytest.mark.parametrize("verb", ["activate", "drop", "undrop", "rename"])
def test_a_table_in_the_wrong_state_is_not_moved(store: Store, verb: str) -> None:
    with_schema(store)
    table = with_table(store)
    if verb in ("drop", "rename"):
        store.tables.drop(table, at(1))
    attempts: dict[str, Callable[[], object]] = {
        "activate": lambda: store.tables.activate(table, a_version(1)),
        "drop": lambda: store.tables.drop(table, at(2)),
        "undrop": lambda: store.tables.undrop(table),
        "rename": lambda: store.tables.rename(table, schema="public", name="other"),
    }
    with pytest.raises(InternalError) as caught:
        attempts[verb]()
    assert caught.value.condition == "TABLE_STATE_ILLEGAL"
    assert store.versions.list(table.id) == []
