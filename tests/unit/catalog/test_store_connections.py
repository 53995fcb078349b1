"""Connections in the store."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from tests.unit.catalog.samples import (
    WORKSPACE,
    a_connection,
    a_table,
    a_volume,
    at,
    with_schema,
)

from headwater.catalog.connections import ConnectionType, ConnectionUser
from headwater.catalog.objects import Table, TableKind
from headwater.catalog.store import Store
from headwater.errors import TransientError, UserError


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def test_a_connection_reads_back_as_it_was_written(lake: Store) -> None:
    made = a_connection(
        "bus",
        type=ConnectionType.KAFKA,
        enabled=False,
        comment="it's näive ☂",
        settings={"BOOTSTRAP_SERVERS": ["a:1", "b:2"], "SECURITY_PROTOCOL": "PLAINTEXT"},
        sealed={"PASSWORD": "v1:abc", "nul": "\0"},
        external_id="6c5d",
    )
    assert lake.connections.create(made) == made
    assert lake.connections.get(WORKSPACE, "bus") == made
    assert lake.connections.by_id(made.id) == made
    assert lake.connections.list(WORKSPACE) == lake.connections.list() == [made]
    assert lake.connections.get(WORKSPACE, "other") is None
    assert lake.connections.get("elsewhere", "bus") is None
    assert lake.connections.by_id("other") is None


@pytest.mark.parametrize("kind", list(ConnectionType))
def test_every_type_is_kept(lake: Store, kind: ConnectionType) -> None:
    made = lake.connections.create(a_connection(type=kind))
    assert lake.connections.by_id(made.id) == made


def test_names_ignore_case(lake: Store) -> None:
    made = lake.connections.create(a_connection("Lager"))
    assert made.name == "lager"
    assert lake.connections.get(WORKSPACE, "LAGER") == made
    with pytest.raises(UserError) as caught:
        lake.connections.create(a_connection("lAGER"))
    assert caught.value.condition == "CONNECTION_ALREADY_EXISTS"
    assert caught.value.message == "connection 'lager' already exists"


def test_two_workspaces_may_have_connections_of_the_same_name(lake: Store) -> None:
    lake.connections.create(a_connection())
    lake.workspaces.ensure("second")
    other = lake.connections.create(a_connection(workspace="second"))
    assert lake.connections.list("second") == [other]
    assert len(lake.connections.list()) == 2
    with pytest.raises(UserError, match="WORKSPACE_NOT_FOUND"):
        lake.connections.create(a_connection(workspace="third"))


def test_an_update_changes_settings_and_secrets_together(lake: Store) -> None:
    made = lake.connections.create(a_connection(sealed={"SECRET_KEY": "old"}))
    changed = replace(
        made,
        enabled=False,
        comment="new",
        settings={"REGION": "eu"},
        sealed={"SECRET_KEY": "new"},
        modified_at=at(5),
    )
    lake.connections.update(changed)
    assert lake.connections.list(WORKSPACE) == [changed]
    lake.connections.drop(changed)
    with pytest.raises(UserError, match="CONNECTION_NOT_FOUND"):
        lake.connections.update(changed)


def test_all_secrets_are_sealed_anew_in_one_transaction_or_none(lake: Store) -> None:
    for number in range(3):
        lake.connections.create(a_connection(f"c{number}", sealed={"K": "old"}))

    def rotate(*, fail_at: int) -> None:
        with lake.begin() as transaction:
            for number, old in enumerate(lake.connections.list(connection=transaction)):
                if number == fail_at:
                    raise TransientError("LEASE_LOST", reason="it was released")
                new = replace(old, sealed={"K": "new"})
                lake.connections.update(new, connection=transaction)

    with pytest.raises(TransientError):
        rotate(fail_at=2)
    assert {c.sealed["K"] for c in lake.connections.list()} == {"old"}
    rotate(fail_at=9)
    assert {c.sealed["K"] for c in lake.connections.list()} == {"new"}


def test_a_dropped_connection_is_gone_with_its_secrets(lake: Store) -> None:
    made = lake.connections.create(a_connection(sealed={"K": "v1:abc"}))
    assert lake.connections.drop(made) == []
    assert lake.connections.list() == []
    with pytest.raises(UserError) as caught:
        lake.connections.drop(made)
    assert caught.value.condition == "CONNECTION_NOT_FOUND"
    lake.connections.create(a_connection())


def test_a_connection_in_use_is_dropped_only_by_force(lake: Store) -> None:
    made = lake.connections.create(a_connection())
    lake.connections.create(a_connection("unused"))
    with_schema(lake, "sales")
    for name in ("v1", "v2", "v3"):
        lake.volumes.create(a_volume(name, connection="lager"))
    lake.volumes.create(a_volume("Odd Name", schema="sales", connection="lager"))
    users = [ConnectionUser("volume", "public", name) for name in ("v1", "v2", "v3")]
    users.append(ConnectionUser("volume", "sales", "Odd Name"))
    assert lake.connections.users_of(made.id) == users
    with pytest.raises(UserError) as caught:
        lake.connections.drop(made)
    assert caught.value.condition == "CONNECTION_IN_USE"
    assert caught.value.message == (
        "connection 'lager' is used by volume public.v1, volume public.v2, volume public.v3"
        " and 1 more"
    )
    assert lake.connections.drop(made, force=True) == users
    assert lake.connections.list() != []


def a_kafka_table(name: str = "messages", *, connection: str = "lager", **changes: object) -> Table:
    return a_table(name, kind=TableKind.KAFKA, location=connection, managed=False, **changes)


def test_a_connection_that_kafka_tables_read_is_dropped_only_by_force(lake: Store) -> None:
    made = lake.connections.create(a_connection(type=ConnectionType.KAFKA))
    with_schema(lake, "sales")
    first = lake.tables.insert_active(a_kafka_table(connection="LAGER"))
    assert first.location == "lager"
    lake.tables.insert_active(a_kafka_table(schema="sales"))
    lake.volumes.create(a_volume("v", connection="lager"))
    lake.tables.insert_active(a_table("elsewhere", location="lager"))
    users = [
        ConnectionUser("table", "public", "messages"),
        ConnectionUser("volume", "public", "v"),
        ConnectionUser("table", "sales", "messages"),
    ]
    assert lake.connections.users_of(made.id) == users
    with pytest.raises(UserError) as caught:
        lake.connections.drop(made)
    assert caught.value.message == (
        "connection 'lager' is used by table public.messages, volume public.v, table sales.messages"
    )
    lake.tables.drop(first, at(5))
    assert lake.connections.drop(made, force=True) == users[1:]


def test_no_kafka_table_is_made_over_a_connection_that_is_gone(lake: Store) -> None:
    with pytest.raises(UserError) as caught:
        lake.tables.insert_active(a_kafka_table())
    assert caught.value.condition == "CONNECTION_NOT_FOUND"
    assert lake.tables.list(WORKSPACE) == []


def test_a_connection_is_not_dropped_while_a_kafka_table_takes_it(lake: Store) -> None:
    made = lake.connections.create(a_connection(type=ConnectionType.KAFKA))
    with ThreadPoolExecutor(1) as pool:
        with lake.begin() as transaction:
            lake.tables.insert_active(a_kafka_table(), connection=transaction)
            drop = pool.submit(lake.connections.drop, made)
            time.sleep(0.05)
        with pytest.raises(UserError) as caught:
            drop.result()
    assert caught.value.condition == "CONNECTION_IN_USE"


def test_a_connection_of_another_workspace_is_not_in_use_here(lake: Store) -> None:
    lake.connections.create(a_connection())
    lake.workspaces.ensure("second")
    other = lake.connections.create(a_connection(workspace="second"))
    lake.volumes.create(a_volume(connection="lager"))
    assert lake.connections.users_of(other.id) == []
    assert lake.connections.drop(other) == []


def test_a_volume_that_lost_its_connection_by_force_takes_the_next_of_that_name(
    lake: Store,
) -> None:
    made = lake.connections.create(a_connection())
    volume = lake.volumes.create(a_volume(connection="lager"))
    lake.connections.drop(made, force=True)
    lost = lake.volumes.by_id(volume.id)
    assert lost is not None
    assert (lost.connection, lost.connection_id) == ("lager", None)
    new = lake.connections.create(a_connection())
    found = lake.volumes.by_id(volume.id)
    assert found is not None
    assert (found.connection, found.connection_id) == ("lager", new.id)
    assert len(lake.connections.users_of(new.id)) == 1


def test_no_volume_takes_a_connection_while_it_is_dropped(lake: Store) -> None:
    made = lake.connections.create(a_connection())
    with ThreadPoolExecutor(1) as pool:
        with lake.begin() as transaction:
            lake.connections.drop(made, connection=transaction)
            creation = pool.submit(lake.volumes.create, a_volume(connection="lager"))
            time.sleep(0.05)
        with pytest.raises(UserError) as caught:
            creation.result()
    assert caught.value.condition == "CONNECTION_NOT_FOUND"
    assert lake.volumes.list(WORKSPACE) == []


def test_a_connection_is_not_dropped_while_a_volume_takes_it(lake: Store) -> None:
    made = lake.connections.create(a_connection())
    with ThreadPoolExecutor(1) as pool:
        with lake.begin() as transaction:
            lake.volumes.create(a_volume(connection="lager"), connection=transaction)
            drop = pool.submit(lake.connections.drop, made)
            time.sleep(0.05)
        with pytest.raises(UserError) as caught:
            drop.result()
    assert caught.value.condition == "CONNECTION_IN_USE"


def test_of_many_that_make_one_connection_at_once_exactly_one_succeeds(lake: Store) -> None:
    barrier = Barrier(4)

    def make(_number: int) -> str:
        barrier.wait()
        try:
            return lake.connections.create(a_connection()).name
        except UserError as error:
            return error.condition

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(make, range(4)))
    assert answers == [*["CONNECTION_ALREADY_EXISTS"] * 3, "lager"]
