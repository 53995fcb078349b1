"""Volumes in the store."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import Engine, event, select
from tests.unit.catalog.samples import (
    WORKSPACE,
    a_connection,
    a_volume,
    an_instance,
    at,
    with_schema,
    with_table,
)

from headwater.catalog.store import Store
from headwater.catalog.store.bulk import insert_rows
from headwater.catalog.store.file_model import connections, volumes
from headwater.catalog.volumes import DirectoryFile
from headwater.errors import TransientError, UserError


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public` and the connection `lager`."""
    with_schema(store)
    store.connections.create(a_connection())
    return store


def test_a_volume_reads_back_as_it_was_written(lake: Store) -> None:
    made = lake.volumes.create(
        a_volume(
            connection="LAGER",
            directory_enabled=True,
            auto_refresh=True,
            recursive=True,
            notification={"QUEUE_TYPE": "ALICLOUD_MNS", "QUEUE_NAME": "q"},
            comment="it's näive ☂",
            properties={"k": "v", "nul": "\0"},
            url="s3://bucket/a b/%20/ü/",
            refreshed_at=at(3),
        )
    )
    owner = lake.connections.get(WORKSPACE, "lager")
    assert owner is not None
    assert (made.connection, made.connection_id) == ("lager", owner.id)
    assert lake.volumes.get(WORKSPACE, "public", "landing") == made
    assert lake.volumes.by_id(made.id) == made
    assert lake.volumes.list(WORKSPACE) == lake.volumes.list(WORKSPACE, "public") == [made]
    assert lake.volumes.list(WORKSPACE, "other") == lake.volumes.list("elsewhere") == []
    assert lake.volumes.get(WORKSPACE, "public", "other") is None
    assert lake.volumes.by_id("other") is None


def test_a_named_volume_needs_no_connection(lake: Store) -> None:
    made = lake.volumes.create(a_volume(external=False, url="volumes/public/landing-1/"))
    assert lake.volumes.list(WORKSPACE) == [made]
    assert made.connection is made.connection_id is None


def test_the_url_of_a_volume_ends_with_a_slash() -> None:
    with pytest.raises(ValueError, match="must end with '/'"):
        a_volume(url="s3://bucket/landing")


def test_a_volume_needs_its_schema_and_its_connection(lake: Store) -> None:
    with pytest.raises(UserError, match="SCHEMA_NOT_FOUND"):
        lake.volumes.create(a_volume(schema="nowhere"))
    with pytest.raises(UserError) as caught:
        lake.volumes.create(a_volume(connection="nope"))
    assert caught.value.condition == "CONNECTION_NOT_FOUND"
    assert caught.value.message == "connection 'nope' does not exist"
    assert lake.volumes.list(WORKSPACE) == []


def test_a_volume_and_a_table_may_have_one_name_but_two_volumes_may_not(lake: Store) -> None:
    with_table(lake, "landing")
    lake.volumes.create(a_volume())
    with pytest.raises(UserError) as caught:
        lake.volumes.create(a_volume())
    assert caught.value.condition == "VOLUME_ALREADY_EXISTS"
    assert caught.value.message == "volume 'public.landing' already exists"
    with_schema(lake, "other")
    lake.volumes.create(a_volume(schema="other"))
    assert len(lake.volumes.list(WORKSPACE)) == 2


def test_a_replaced_volume_is_a_new_one_with_an_empty_directory(lake: Store) -> None:
    old = lake.volumes.create_or_replace(a_volume(comment="old"))
    file = DirectoryFile("a", "s3://bucket/landing/a", 1, at(0))
    lake.directory_files.replace(old, [[file]], listed_at=at(1))
    new = lake.volumes.create_or_replace(a_volume(comment="new"))
    assert lake.volumes.list(WORKSPACE) == [new]
    assert list(lake.directory_files.read(new)) == []


def test_a_replacement_that_fails_leaves_the_old_volume(lake: Store) -> None:
    old = lake.volumes.create(a_volume())
    with pytest.raises(UserError, match="CONNECTION_NOT_FOUND"):
        lake.volumes.create_or_replace(a_volume(connection="nope"))
    assert lake.volumes.list(WORKSPACE) == [old]


def test_a_dropped_volume_is_gone_with_its_directory(lake: Store) -> None:
    volume = lake.volumes.create(a_volume())
    file = DirectoryFile("a", "s3://bucket/landing/a", 1, at(0))
    lake.directory_files.replace(volume, [[file]], listed_at=at(1))
    lake.volumes.drop(volume)
    assert lake.volumes.list(WORKSPACE) == []
    assert list(lake.directory_files.read(volume)) == []
    with pytest.raises(UserError) as caught:
        lake.volumes.drop(volume)
    assert caught.value.condition == "VOLUME_NOT_FOUND"
    lake.volumes.create(a_volume())


def test_a_volume_follows_its_schema_to_its_new_name(lake: Store) -> None:
    volume = lake.volumes.create(a_volume())
    schema = lake.schemas.get(WORKSPACE, "public")
    assert schema is not None
    lake.schemas.update(replace(schema, name="renamed"))
    assert lake.volumes.list(WORKSPACE) == [replace(volume, schema="renamed")]


def test_the_volumes_to_refresh_by_themselves_are_those_with_a_directory(lake: Store) -> None:
    both = {"directory_enabled": True, "auto_refresh": True}
    wanted = lake.volumes.create(a_volume("both", **both))
    lake.volumes.create(a_volume("directory", directory_enabled=True))
    lake.volumes.create(a_volume("neither", auto_refresh=True))
    assert lake.volumes.auto_refreshed() == [wanted]


def test_volumes_are_listed_by_schema_and_name(lake: Store) -> None:
    with_schema(lake, "alpha")
    for schema, name in [("public", "b"), ("alpha", "z"), ("public", "a")]:
        lake.volumes.create(a_volume(name, schema=schema))
    found = [(v.schema, v.name) for v in lake.volumes.list(WORKSPACE)]
    assert found == [("alpha", "z"), ("public", "a"), ("public", "b")]


@pytest.mark.parametrize("verb", ["create", "create_or_replace"])
def test_of_many_that_make_one_volume_at_once_one_remains(lake: Store, verb: str) -> None:
    barrier = Barrier(4)
    made = [a_volume() for _ in range(4)]

    def make(number: int) -> str:
        barrier.wait()
        try:
            created = getattr(lake.volumes, verb)(made[number])
        except UserError as error:
            return error.condition
        return created.name

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(make, range(4)))
    refused = 3 if verb == "create" else 0
    assert answers == [*["VOLUME_ALREADY_EXISTS"] * refused, *["landing"] * (4 - refused)]
    assert len(lake.volumes.list(WORKSPACE)) == 1


def test_a_writer_that_lost_the_lake_makes_no_volume_and_records_no_load(lake: Store) -> None:
    ttl = timedelta(seconds=30)
    table = with_table(lake)
    for name in ("i1", "i2"):
        lake.instances.register(an_instance(name))
    lake.lease.acquire("i1", ttl=ttl, holder_alive=lambda _holder: True)
    lake.lease.acquire("i2", ttl=ttl, holder_alive=lambda _holder: False)

    def write_from_the_past() -> None:
        with lake.begin() as transaction:
            lake.connections.create(a_connection("late"), connection=transaction)
            lake.volumes.create(a_volume(connection="late"), connection=transaction)
            lake.load_history.record_intent(table.id, "j1", [], connection=transaction)
            lake.load_history.confirm("j1", 3, connection=transaction)
            lake.lease.check("i1", 1, connection=transaction)

    with pytest.raises(TransientError, match="LEASE_LOST"):
        write_from_the_past()
    assert lake.volumes.list(WORKSPACE) == []
    assert [c.name for c in lake.connections.list()] == ["lager"]


def test_a_thousand_volumes_and_connections_are_listed_by_as_few_queries_as_one(
    lake: Store,
) -> None:
    with lake.begin() as transaction:
        lake.volumes.create(a_volume(connection="lager"), connection=transaction)
    for_one = queries_of(lambda: (lake.volumes.list(WORKSPACE), lake.connections.list(WORKSPACE)))
    with lake.begin() as transaction:
        first = transaction.execute(select(connections)).one()._mapping
        copies = ({**first, "id": f"c{n}", "name": f"c{n}"} for n in range(1000))
        insert_rows(transaction, connections, copies)
        one = transaction.execute(select(volumes)).one()._mapping
        copies = (
            {**one, "id": f"v{n}", "name": f"v{n}", "connection_name": f"c{n}"} for n in range(999)
        )
        insert_rows(transaction, volumes, copies)

    def list_all() -> None:
        assert len(lake.volumes.list(WORKSPACE)) == 1000
        assert len(lake.connections.list(WORKSPACE)) == 1001

    assert queries_of(list_all) == for_one
    assert len(for_one) < 10


def queries_of(action: Callable[[], object]) -> list[str]:
    """The texts that reach a database while the action runs; times would depend on the machine."""
    texts: list[str] = []

    def note(_connection: object, _cursor: object, text: str, *_more: object) -> None:
        texts.append(text)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        action()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return texts
