"""Pipes in the store."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from sqlalchemy import select
from tests.unit.catalog.samples import (
    WORKSPACE,
    a_batch,
    a_connection,
    a_pipe,
    a_schema,
    a_volume,
    at,
    with_schema,
    with_table,
)

from headwater.catalog.pipes import Pipe, PipeCounters, PipeKind, PipeStatus, paused
from headwater.catalog.store import Store
from headwater.catalog.store.bulk import insert_rows
from headwater.catalog.store.pipe_model import pipes
from headwater.errors import UserError


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def made(store: Store, pipe: Pipe) -> Pipe:
    store.pipes.create(pipe)
    return pipe


def refusal(store: Store, pipe: Pipe) -> UserError:
    with pytest.raises(UserError) as caught:
        store.pipes.create(pipe)
    return caught.value


def test_a_pipe_reads_back_as_it_was_written(lake: Store) -> None:
    pipe = made(
        lake,
        a_pipe(
            "näive ☂",
            kind=PipeKind.KAFKA,
            status=PipeStatus.INVALID,
            body="COPY INTO t FROM (\n SELECT '''☂%' FROM READ_KAFKA(..))",
            sealed_body="sealed",
            comment="it's",
            properties=(("Z", "1"), ("A", "\0"), ("B", "")),
            volume_id="v1",
            kafka_group="h:9092|orders|g1",
            invalid_reason="gone",
            failures=3,
            not_before=at(1),
            batch=2**40,
            offsets={"orders": {"0": 2**40, "1": 0}},
            last_batch_at=at(2),
            last_message_at=at(3),
            refresh_requested_at=at(4),
            latency={"kafka": {"lags": {"0": 5}, "timeLag": -1}},
            counters=PipeCounters(1, 2, 2**50, 4, 5, 6, 7, 8, at(9), 10),
        ),
    )
    assert lake.pipes.get(WORKSPACE, "public", "näive ☂") == pipe
    assert lake.pipes.by_id(pipe.id) == pipe
    assert lake.pipes.list(WORKSPACE) == lake.pipes.list(WORKSPACE, "public") == [pipe]
    assert lake.pipes.list(WORKSPACE, "other") == lake.pipes.list("elsewhere") == []
    assert lake.pipes.get(WORKSPACE, "public", "other") is None
    assert lake.pipes.by_id("other") is None
    plain = made(lake, a_pipe("plain"))
    assert lake.pipes.by_id(plain.id) == plain


def test_a_name_stands_for_one_pipe_in_its_schema(lake: Store) -> None:
    made(lake, a_pipe())
    with_table(lake, "intake")
    error = refusal(lake, a_pipe(volume_id="v1"))
    assert error.condition == "PIPE_ALREADY_EXISTS"
    assert error.message == "pipe 'public.intake' already exists"
    with_schema(lake, "other")
    made(lake, a_pipe(schema="other"))
    assert refusal(lake, a_pipe(schema="nowhere")).condition == "SCHEMA_NOT_FOUND"


def test_a_volume_feeds_one_pipe(lake: Store) -> None:
    first = made(lake, a_pipe(volume_id="v1"))
    error = refusal(lake, a_pipe("second", volume_id="v1"))
    assert error.condition == "VOLUME_HAS_PIPE"
    assert "already feeds pipe 'public.intake'" in error.message
    assert error.hint is not None
    assert error.hint.startswith("first DROP PIPE public.intake")
    assert lake.pipes.using_volume("v1") == [first]
    assert lake.pipes.using_volume("v2") == []
    # Those without a volume are not in each other's way.
    made(lake, a_pipe("third"))
    made(lake, a_pipe("fourth"))
    lake.pipes.drop(first)
    made(lake, a_pipe("second", volume_id="v1"))


def test_a_consumer_group_belongs_to_one_pipe_of_all_workspaces(lake: Store) -> None:
    made(lake, a_pipe(kafka_group="h:9092|orders|g|1"))
    made(lake, a_pipe("other_topic", kafka_group="h:9092|returns|g|1"))
    lake.workspaces.ensure("elsewhere")
    lake.schemas.create(a_schema("public", workspace="elsewhere"))
    error = refusal(lake, a_pipe(workspace="elsewhere", kafka_group="h:9092|orders|g|1"))
    assert error.condition == "KAFKA_GROUP_HAS_PIPE"
    assert error.message == (
        "the consumer group 'g|1' of topic 'orders' already belongs to pipe 'wanda.public.intake'"
    )


def test_a_refused_pipe_leaves_the_transaction_usable(lake: Store) -> None:
    made(lake, a_pipe(volume_id="v1"))
    with lake.begin() as transaction:
        with pytest.raises(UserError, match="VOLUME_HAS_PIPE"):
            lake.pipes.create(a_pipe("b", volume_id="v1"), connection=transaction)
        lake.pipes.create(a_pipe("c", volume_id="v2"), connection=transaction)
    assert [pipe.name for pipe in lake.pipes.list(WORKSPACE)] == ["c", "intake"]


def test_what_a_pipe_uses_may_go_and_the_pipe_stays(lake: Store) -> None:
    table = with_table(lake)
    volume = lake.volumes.create(a_volume())
    pipe = made(lake, a_pipe(target_id=table.id, volume_id=volume.id))
    assert lake.pipes.using_table(table.id) == [pipe]
    lake.volumes.drop(volume)
    lake.tables.drop(table, at(1))
    lake.tables.purge(table.id)
    assert lake.pipes.using_table(table.id) == lake.pipes.using_volume(volume.id) == [pipe]


def test_the_pipes_behind_a_connection_are_those_of_its_volumes(lake: Store) -> None:
    lager = lake.connections.create(a_connection())
    store_room = lake.connections.create(a_connection("other"))
    lake.workspaces.ensure("elsewhere")
    lake.schemas.create(a_schema("public", workspace="elsewhere"))
    namesake = lake.connections.create(a_connection(workspace="elsewhere"))
    one = lake.volumes.create(a_volume("one", connection="lager"))
    two = lake.volumes.create(a_volume("two", connection="lager"))
    far = lake.volumes.create(a_volume(workspace="elsewhere", connection="lager"))
    lake.volumes.create(a_volume("unread", connection="other"))
    behind = [made(lake, a_pipe(v.name, volume_id=v.id)) for v in (one, two)]
    # A pipe may read a volume of another workspace.
    other = made(lake, a_pipe("far", volume_id=far.id))
    made(lake, a_pipe("none"))
    assert lake.pipes.using_connection(lager.id) == behind
    assert lake.pipes.using_connection(namesake.id) == [other]
    assert lake.pipes.using_connection(store_room.id) == []


def test_a_dropped_pipe_is_gone_with_what_it_recorded(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    lake.pipe_batches.begin(a_batch(pipe))
    lake.pipe_batches.set_aside(pipe.id, "m1", "{", "not JSON", at(1))
    lake.pipes.drop(pipe)
    assert lake.pipes.list(WORKSPACE) == []
    assert lake.pipe_batches.all_intents() == []
    assert lake.pipe_batches.aside(pipe.id) == []
    with pytest.raises(UserError) as caught:
        lake.pipes.drop(pipe)
    assert caught.value.condition == "PIPE_NOT_FOUND"
    assert caught.value.message == "pipe 'public.intake' does not exist"
    made(lake, a_pipe())


def test_a_schema_with_pipes_is_not_dropped_alone_but_with_them(lake: Store) -> None:
    schema = lake.schemas.get(WORKSPACE, "public")
    assert schema is not None
    with_schema(lake, "other")
    pipe = made(lake, a_pipe())
    kept = made(lake, a_pipe(schema="other"))
    lake.pipe_batches.begin(a_batch(pipe))
    with pytest.raises(UserError, match="schema 'public' still holds 1 pipe"):
        lake.schemas.drop(schema, at(1))
    lake.volumes.create(a_volume())
    with pytest.raises(UserError, match="still holds 1 volume and 1 pipe"):
        lake.schemas.drop(schema, at(1))
    lake.schemas.drop_with_tables(schema, at(1))
    assert lake.pipes.list(WORKSPACE) == lake.pipes.running() == [kept]
    assert lake.pipe_batches.all_intents() == []


def test_a_pipe_follows_its_schema_to_its_new_name(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    schema = lake.schemas.get(WORKSPACE, "public")
    assert schema is not None
    lake.schemas.update(replace(schema, name="renamed"))
    assert lake.pipes.list(WORKSPACE) == [replace(pipe, schema="renamed")]


def test_the_running_pipes_are_those_of_all_workspaces_that_nothing_stopped(lake: Store) -> None:
    lake.workspaces.ensure("elsewhere")
    lake.schemas.create(a_schema("public", workspace="elsewhere"))
    runs = [made(lake, a_pipe(workspace=name)) for name in ("elsewhere", WORKSPACE)]
    made(lake, a_pipe("paused", status=PipeStatus.PAUSED))
    made(lake, a_pipe("invalid", status=PipeStatus.INVALID, invalid_reason="gone"))
    assert lake.pipes.running() == runs
    lake.pipes.pause(runs[0].id, at(1))
    assert lake.pipes.running() == runs[1:]


def test_the_states_of_a_pipe_are_stored_by_their_rules(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    store = lake.pipes
    assert store.pause(pipe.id, at(1)).status is PipeStatus.PAUSED
    assert store.by_id(pipe.id) == paused(pipe, at(1))
    assert store.invalidate(pipe.id, "the table was dropped", at(2)).modified_at == at(2)
    assert store.pause(pipe.id, at(3)).invalid_reason == "the table was dropped"
    assert store.resume(pipe.id, at(4)) == replace(pipe, modified_at=at(4))
    once = store.record_failure(pipe.id, at(5), "x", limit=2, transient=True, jitter=0)
    assert (once.failures, once.not_before) == (1, at(6))
    assert store.by_id(pipe.id) == once
    twice = store.record_failure(pipe.id, at(7), "x", limit=2, transient=True, jitter=0)
    assert (twice.status, twice.counters.failures_total) == (PipeStatus.INVALID, 2)
    store.resume(pipe.id, at(8))
    well = store.record_success(pipe.id, at(9), batch=1, offsets={"t": {"0": 5}}, message_at=at(8))
    assert (well.batch, well.offsets, well.last_batch_at) == (1, {"t": {"0": 5}}, at(9))
    assert store.by_id(pipe.id) == well


def test_a_request_to_look_at_once_is_served_once_and_a_later_one_stays(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    lake.pipes.request_refresh(pipe.id, at(1))
    lake.pipes.request_refresh(pipe.id, at(2))
    assert lake.pipes.take_refresh(pipe.id, at(1)).refresh_requested_at == at(2)
    assert lake.pipes.take_refresh(pipe.id, at(2)).refresh_requested_at is None
    assert lake.pipes.by_id(pipe.id) == pipe


def test_properties_latency_and_what_is_pending_are_replaced(lake: Store) -> None:
    pipe = made(lake, a_pipe(properties=(("A", "1"),)))
    given = [("VIRTUAL_CLUSTER", "x"), ("A", "2")]
    changed = lake.pipes.set_properties(pipe.id, given, at(1))
    assert (changed.properties, changed.modified_at) == (tuple(given), at(1))
    lake.pipes.set_latency(pipe.id, {"kafka": {"offsetLag": 3}})
    lake.pipes.set_pending(pipe.id, files=2, bytes=20, oldest_at=at(-5))
    found = lake.pipes.by_id(pipe.id)
    assert found is not None
    assert found.latency == {"kafka": {"offsetLag": 3}}
    assert found.counters == PipeCounters(
        pending_files=2, pending_bytes=20, oldest_pending_at=at(-5)
    )
    lake.pipes.set_pending(pipe.id, files=0, bytes=0, oldest_at=None)
    assert lake.pipes.set_latency(pipe.id, None) == changed


def test_a_change_of_a_pipe_that_is_gone_says_so(lake: Store) -> None:
    for change in (
        lambda: lake.pipes.pause("gone", at(1)),
        lambda: lake.pipes.add_counts("gone", rows=1),
        lambda: lake.pipes.record_success("gone", at(1), batch=1),
    ):
        with pytest.raises(UserError, match="PIPE_NOT_FOUND"):
            change()


def test_counts_of_many_threads_all_arrive_and_no_change_of_status_is_lost(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    barrier = Barrier(4)

    def work(number: int) -> None:
        barrier.wait()
        if number == 0:
            lake.pipes.pause(pipe.id, at(1))
        for _ in range(10):
            lake.pipes.add_counts(pipe.id, rows=3, files=1, bytes=10, skipped_files=number)
            lake.pipes.record_success(pipe.id, at(2))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    found = lake.pipes.by_id(pipe.id)
    assert found is not None
    assert found.counters == PipeCounters(rows=120, files=40, bytes=400, skipped_files=60)
    assert found.status is PipeStatus.PAUSED


def test_of_many_that_want_one_volume_at_once_one_gets_it(lake: Store) -> None:
    barrier = Barrier(4)

    def make(number: int) -> str:
        barrier.wait()
        try:
            lake.pipes.create(a_pipe(f"p{number}", volume_id="v1"))
        except UserError as error:
            return error.condition
        return "made"

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(make, range(4)))
    assert answers == [*["VOLUME_HAS_PIPE"] * 3, "made"]


def test_bookkeeping_and_the_end_of_a_batch_happen_together_or_not_at_all(lake: Store) -> None:
    pipe = made(lake, a_pipe())
    lake.pipe_batches.begin(a_batch(pipe))

    def crash() -> None:
        with lake.begin() as transaction:
            lake.pipe_batches.finish(pipe.id, 1, rows=5, connection=transaction)
            lake.pipes.record_success(pipe.id, at(1), batch=1, connection=transaction)
            lake.pipes.add_counts(pipe.id, rows=5, connection=transaction)
            raise RuntimeError("power failure")

    with pytest.raises(RuntimeError, match="power failure"):
        crash()
    assert lake.pipes.by_id(pipe.id) == pipe
    assert lake.pipe_batches.intent(pipe.id) == a_batch(pipe)


def test_hundreds_of_pipes_are_listed_quickly(lake: Store) -> None:
    made(lake, a_pipe())
    with lake.begin() as transaction:
        first = transaction.execute(select(pipes)).one()._mapping
        copies = ({**first, "id": f"p{n}", "name": f"p{n}"} for n in range(499))
        insert_rows(transaction, pipes, copies)

    def once() -> float:
        started = time.perf_counter()
        assert len(lake.pipes.running()) == 500
        return time.perf_counter() - started

    # The best of several, because the machine may be busy with something else.
    assert min(once() for _ in range(3)) < 0.2
