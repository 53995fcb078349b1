"""Batches of pipes in the store, and the messages that pipes laid aside."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from tests.unit.catalog.samples import FakeClock, a_batch, a_pipe, at, with_schema

from headwater.catalog.pipes import AsideMessage, BatchState, Pipe
from headwater.catalog.store import Store
from headwater.errors import InternalError, TransientError, UserError


@pytest.fixture
def pipe(store: Store) -> Pipe:
    with_schema(store)
    made = a_pipe()
    store.pipes.create(made)
    return made


def test_a_batch_is_under_way_until_it_is_finished(
    store: Store, pipe: Pipe, clock: FakeClock
) -> None:
    batches = store.pipe_batches
    begun = a_batch(pipe, job_id="j1", payload={"orders": {"0": [5, 9]}})
    assert batches.intent(pipe.id) is None
    batches.begin(begun)
    assert batches.intent(pipe.id) == begun
    assert batches.all_intents() == batches.of(pipe.id) == [begun]
    clock.advance(5)
    assert batches.finish(pipe.id, 1, rows=4)
    assert batches.intent(pipe.id) is None
    assert batches.all_intents() == []
    done = replace(begun, state=BatchState.DONE, ended_at=at(5), rows=4)
    assert batches.of(pipe.id) == [done]


def test_a_batch_that_ended_never_changes(store: Store, pipe: Pipe, clock: FakeClock) -> None:
    batches = store.pipe_batches
    batches.begin(a_batch(pipe, 1))
    assert batches.finish(pipe.id, 1, rows=4)
    batches.begin(a_batch(pipe, 2))
    assert batches.fail(pipe.id, 2, "no route\0")
    before = batches.of(pipe.id)
    assert [(b.number, b.state, b.error) for b in before] == [
        (2, BatchState.FAILED, "no route\N{REPLACEMENT CHARACTER}"),
        (1, BatchState.DONE, None),
    ]
    clock.advance(5)
    for number in (1, 2, 3):
        assert not batches.finish(pipe.id, number, rows=9)
        assert not batches.fail(pipe.id, number, "again")
    assert batches.of(pipe.id) == before


def test_a_pipe_has_one_batch_under_way(store: Store, pipe: Pipe) -> None:
    other = a_pipe("other")
    store.pipes.create(other)
    batches = store.pipe_batches
    batches.begin(a_batch(pipe, 2))
    batches.begin(a_batch(other, 1))
    for number in (2, 3):
        with pytest.raises(TransientError) as caught:
            batches.begin(a_batch(pipe, number))
        assert caught.value.condition == "PIPE_BATCH_UNDER_WAY"
        assert caught.value.message == "batch 2 of the pipe is still under way"
    assert batches.all_intents() == [a_batch(other, 1), a_batch(pipe, 2)]
    assert batches.fail(pipe.id, 2, "no route")
    batches.begin(a_batch(pipe, 3))


def test_a_batch_that_failed_may_be_begun_again_and_one_that_is_done_may_not(
    store: Store, pipe: Pipe
) -> None:
    batches = store.pipe_batches
    batches.begin(a_batch(pipe))
    batches.fail(pipe.id, 1, "no route")
    second = a_batch(pipe, job_id="j2", payload={"files": 3, "bytes": 30})
    batches.begin(second)
    assert batches.of(pipe.id) == [second]
    batches.finish(pipe.id, 1)
    with pytest.raises(InternalError, match="is DONE and cannot become INTENT"):
        batches.begin(a_batch(pipe))
    with pytest.raises(InternalError, match="is new and cannot become DONE"):
        batches.begin(a_batch(pipe, 2, state=BatchState.DONE))


def test_a_batch_needs_its_pipe(store: Store) -> None:
    with pytest.raises(UserError, match="PIPE_NOT_FOUND"):
        store.pipe_batches.begin(a_batch(a_pipe()))
    with pytest.raises(UserError, match="PIPE_NOT_FOUND"):
        store.pipe_batches.set_aside("gone", "m1", "{", "not JSON", at(1))


def test_of_many_batches_that_begin_at_once_one_does(store: Store, pipe: Pipe) -> None:
    barrier = Barrier(4)

    def begin(number: int) -> str:
        barrier.wait()
        try:
            store.pipe_batches.begin(a_batch(pipe, number))
        except TransientError as error:
            return error.condition
        return "begun"

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(begin, range(1, 5)))
    assert answers == [*["PIPE_BATCH_UNDER_WAY"] * 3, "begun"]


def test_batches_are_listed_newest_first_up_to_a_limit(store: Store, pipe: Pipe) -> None:
    for number in (9, 10, 11):
        store.pipe_batches.begin(a_batch(pipe, number))
        store.pipe_batches.finish(pipe.id, number)
    assert [batch.number for batch in store.pipe_batches.of(pipe.id, 2)] == [11, 10]
    assert len(store.pipe_batches.of(pipe.id)) == 3


def test_old_batches_and_messages_are_forgotten_but_not_what_is_under_way(
    store: Store, pipe: Pipe, clock: FakeClock
) -> None:
    batches = store.pipe_batches
    for number in (1, 2, 3):
        batches.begin(a_batch(pipe, number, begun_at=at(number)))
        if number < 3:
            clock.now = at(10 * number)
            batches.finish(pipe.id, number)
    batches.set_aside(pipe.id, "old", "{", "not JSON", at(1))
    batches.set_aside(pipe.id, "new", "{", "not JSON", at(20))
    assert batches.clean(at(20)) == 2
    assert [batch.number for batch in batches.of(pipe.id)] == [3, 2]
    assert [message.message_id for message in batches.aside(pipe.id)] == ["new"]


def test_a_message_is_laid_aside_once_and_only_its_beginning(store: Store, pipe: Pipe) -> None:
    batches = store.pipe_batches
    batches.set_aside(pipe.id, "m1", "{\0" + "x" * 5000, "not JSON", at(1))
    batches.set_aside(pipe.id, "m2", "[]", "no records", at(2))
    batches.set_aside(pipe.id, "m1", "{" + "y" * 5000, "still not JSON", at(3))
    assert batches.aside(pipe.id) == [
        AsideMessage(pipe.id, "m1", "{" + "y" * 3999, "still not JSON", at(3)),
        AsideMessage(pipe.id, "m2", "[]", "no records", at(2)),
    ]
    assert len(batches.aside(pipe.id, 1)) == 1
    assert batches.aside("other") == []
    batches.set_aside(pipe.id, "☂" * 5000, "", "too long an id", at(4))
    assert batches.aside(pipe.id, 1)[0].message_id == "☂" * 500
