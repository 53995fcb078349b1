"""Workspaces, settings and schemas in the store."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    a_schema,
    a_table,
    a_view,
    a_volume,
    at,
    with_schema,
    with_table,
)

from headwater.catalog.objects import TableState
from headwater.catalog.store import Store
from headwater.errors import TransientError, UserError


def test_a_workspace_is_created_once_and_then_found(store: Store) -> None:
    first = store.workspaces.ensure("wanda")
    assert store.workspaces.ensure("wanda") == first
    assert store.workspaces.get("wanda") == first
    assert store.workspaces.get("other") is None
    assert [w.name for w in store.workspaces.list()] == ["wanda"]
    assert first.created_at == START


def test_a_setting_keeps_its_last_value_until_it_is_removed(store: Store) -> None:
    assert store.settings.get("retention") is None
    store.settings.set("retention", "1 day")
    store.settings.set("retention", "7 days")
    store.settings.set("empty", "")
    assert store.settings.get("retention") == "7 days"
    assert store.settings.all() == {"empty": "", "retention": "7 days"}
    store.settings.remove("retention")
    assert store.settings.all() == {"empty": ""}


def test_a_schema_reads_back_as_it_was_written(store: Store) -> None:
    store.workspaces.ensure(WORKSPACE)
    schema = a_schema("sales", comment="it's näive ☂", properties={"k": "v", "nul": "\0"})
    store.schemas.create(schema)
    assert store.schemas.get(WORKSPACE, "sales") == schema
    assert store.schemas.list(WORKSPACE) == [schema]
    assert store.schemas.get(WORKSPACE, "other") is None
    assert store.schemas.get("elsewhere", "sales") is None


def test_a_schema_needs_its_workspace(store: Store) -> None:
    with pytest.raises(UserError) as caught:
        store.schemas.create(a_schema())
    assert caught.value.condition == "WORKSPACE_NOT_FOUND"


def test_a_second_schema_of_the_same_name_is_refused(store: Store) -> None:
    with_schema(store, "sales")
    with pytest.raises(UserError) as caught:
        store.schemas.create(a_schema("sales"))
    assert caught.value.condition == "SCHEMA_ALREADY_EXISTS"
    assert "'sales'" in caught.value.message


def test_two_workspaces_may_have_schemas_of_the_same_name(store: Store) -> None:
    with_schema(store, "sales")
    store.workspaces.ensure("second")
    store.schemas.create(a_schema("sales", workspace="second"))
    assert [s.workspace for s in store.schemas.list("second")] == ["second"]


def test_an_update_changes_name_comment_and_properties(store: Store) -> None:
    schema = with_schema(store, "sales")
    changed = replace(
        schema, name="revenue", comment="new", properties={"a": "b"}, modified_at=at(5)
    )
    store.schemas.update(changed)
    assert store.schemas.list(WORKSPACE) == [changed]


def test_tables_follow_their_schema_to_its_new_name(store: Store) -> None:
    schema = with_schema(store)
    table = with_table(store)
    store.schemas.update(replace(schema, name="renamed"))
    assert store.tables.get(WORKSPACE, "public", "orders") is None
    assert store.tables.get(WORKSPACE, "renamed", "orders") == replace(table, schema="renamed")


def test_a_schema_cannot_be_renamed_to_a_taken_name(store: Store) -> None:
    schema = with_schema(store, "sales")
    with_schema(store, "revenue")
    with pytest.raises(UserError, match="SCHEMA_ALREADY_EXISTS: schema 'revenue'"):
        store.schemas.update(replace(schema, name="revenue"))


def test_a_dropped_schema_frees_its_name(store: Store) -> None:
    schema = with_schema(store, "sales")
    store.schemas.drop(schema, at(1))
    assert store.schemas.list(WORKSPACE) == []
    again = with_schema(store, "sales")
    assert store.schemas.get(WORKSPACE, "sales") == again


@pytest.mark.parametrize("verb", ["drop", "drop_with_tables", "update"])
def test_a_dropped_schema_cannot_be_touched_again(store: Store, verb: str) -> None:
    schema = with_schema(store)
    store.schemas.drop(schema, at(1))
    arguments = (schema,) if verb == "update" else (schema, at(2))
    with pytest.raises(UserError) as caught:
        getattr(store.schemas, verb)(*arguments)
    assert caught.value.condition == "SCHEMA_NOT_FOUND"


def test_a_schema_with_tables_is_not_dropped_alone(store: Store) -> None:
    schema = with_schema(store)
    with_table(store)
    with pytest.raises(UserError) as caught:
        store.schemas.drop(schema, at(1))
    assert caught.value.condition == "SCHEMA_NOT_EMPTY"
    assert caught.value.hint == "DROP SCHEMA public CASCADE"
    assert store.schemas.get(WORKSPACE, "public") == schema


def test_a_schema_is_dropped_with_its_tables_and_views_at_once(store: Store) -> None:
    schema = with_schema(store)
    table = with_table(store)
    view = store.tables.insert_active(a_view())
    assert store.schemas.drop_with_tables(schema, at(1)) == [table, view]
    assert store.tables.list(WORKSPACE) == []
    dropped = store.tables.dropped(WORKSPACE, "public")
    assert {t.id for t in dropped} == {table.id, view.id}
    assert all(t.state is TableState.DROPPED and t.dropped_at == at(1) for t in dropped)


def test_a_schema_with_volumes_is_not_dropped_alone(store: Store) -> None:
    schema = with_schema(store)
    store.volumes.create(a_volume())
    with pytest.raises(UserError) as caught:
        store.schemas.drop(schema, at(1))
    assert caught.value.condition == "SCHEMA_NOT_EMPTY"
    assert caught.value.message == "schema 'public' still holds 1 volume"
    with_table(store)
    with pytest.raises(UserError, match="still holds 1 tables and views and 1 volume"):
        store.schemas.drop(schema, at(1))


def test_a_schema_is_dropped_with_its_volumes(store: Store) -> None:
    schema = with_schema(store)
    with_schema(store, "other")
    store.volumes.create(a_volume())
    kept = store.volumes.create(a_volume(schema="other"))
    assert store.schemas.drop_with_tables(schema, at(1)) == []
    assert store.volumes.list(WORKSPACE) == [kept]
    with_schema(store)
    assert store.volumes.list(WORKSPACE, "public") == []


def test_no_volume_slips_into_a_schema_while_it_is_dropped(store: Store) -> None:
    schema = with_schema(store)
    with ThreadPoolExecutor(1) as pool:
        with store.begin() as connection:
            store.schemas.drop(schema, at(1), connection=connection)
            creation = pool.submit(store.volumes.create, a_volume())
            time.sleep(0.05)
        with pytest.raises(UserError) as caught:
            creation.result()
    assert caught.value.condition == "SCHEMA_NOT_FOUND"


def test_a_schema_is_not_dropped_under_a_table_that_is_being_created(store: Store) -> None:
    schema = with_schema(store)
    store.tables.begin_create(a_table())
    with pytest.raises(TransientError) as caught:
        store.schemas.drop_with_tables(schema, at(1))
    assert caught.value.condition == "SCHEMA_BUSY"
    assert store.schemas.get(WORKSPACE, "public") == schema


def test_no_table_slips_into_a_schema_while_it_is_dropped(store: Store) -> None:
    schema = with_schema(store)
    with ThreadPoolExecutor(1) as pool:
        with store.begin() as connection:
            store.schemas.drop(schema, at(1), connection=connection)
            creation = pool.submit(store.tables.begin_create, a_table())
            time.sleep(0.05)
        with pytest.raises(UserError) as caught:
            creation.result()
    assert caught.value.condition == "SCHEMA_NOT_FOUND"
    assert store.tables.creating() == []


def test_a_schema_is_not_dropped_while_a_table_slips_into_it(store: Store) -> None:
    schema = with_schema(store)
    with ThreadPoolExecutor(1) as pool:
        with store.begin() as connection:
            store.tables.begin_create(a_table(), connection=connection)
            drop = pool.submit(store.schemas.drop, schema, at(1))
            time.sleep(0.05)
        with pytest.raises(TransientError) as caught:
            drop.result()
    assert caught.value.condition == "SCHEMA_BUSY"


def test_several_writes_in_one_transaction_happen_together_or_not_at_all(store: Store) -> None:
    store.workspaces.ensure(WORKSPACE)

    def write_thrice() -> None:
        with store.begin() as connection:
            store.schemas.create(a_schema("one"), connection=connection)
            store.settings.set("key", "value", connection=connection)
            store.schemas.create(a_schema("one"), connection=connection)

    with pytest.raises(UserError, match="SCHEMA_ALREADY_EXISTS"):
        write_thrice()
    assert store.schemas.list(WORKSPACE) == []
    assert store.settings.all() == {}


def test_a_refused_name_leaves_the_transaction_usable(store: Store) -> None:
    with_schema(store, "sales")
    with store.begin() as connection:
        with pytest.raises(UserError):
            store.schemas.create(a_schema("sales"), connection=connection)
        store.schemas.create(a_schema("revenue"), connection=connection)
    assert [s.name for s in store.schemas.list(WORKSPACE)] == ["revenue", "sales"]
