"""Streams in the store: their names, and offsets that move exactly with the commits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.catalog.samples import (
    WORKSPACE,
    a_job,
    a_table,
    a_version,
    at,
    with_schema,
    with_table,
)

from headwater.catalog.jobs import JobState
from headwater.catalog.objects import TableKind, TableVersion
from headwater.catalog.store import Store
from headwater.catalog.streams import Stream, StreamMode, StreamMove, StreamOffset, StreamSource
from headwater.errors import UserError


@pytest.fixture
def lake(store: Store) -> Store:
    """The store with the schema `public`."""
    with_schema(store)
    return store


def a_stream(name: str = "s", **changes: Any) -> Stream:
    stream = Stream(
        id=f"id-{name}",
        workspace=WORKSPACE,
        schema="public",
        name=name,
        source=StreamSource.TABLE,
        source_id="t1",
        mode=StreamMode.STANDARD,
        offset=StreamOffset(3),
        creator="ann",
        created_at=at(1),
        modified_at=at(2),
    )
    return replace(stream, **changes)


def consuming(number: int, position: int, *, stream: str = "id-s", **changes: Any) -> TableVersion:
    move = StreamMove(stream, number, StreamOffset(position))
    return replace(a_version(**{"version": 1, **changes}), consumed=(move,))


def test_a_stream_reads_back_as_it_was_written(lake: Store) -> None:
    partitions = {"topic": {"0": 12, "1": 5}}
    stream = a_stream(
        "näive ☂",
        source=StreamSource.KAFKA,
        mode=StreamMode.APPEND_ONLY,
        offset=StreamOffset(0, initial=True, partitions=partitions),
        show_initial_rows=True,
        number=4,
        consumed_at=at(9),
        comment="it's",
    )
    lake.streams.create(stream)
    assert lake.streams.get(WORKSPACE, "public", "näive ☂") == stream
    assert lake.streams.by_id(stream.id) == stream
    assert lake.streams.list(WORKSPACE) == [stream]
    assert lake.streams.watching("t1") == [stream]
    assert lake.streams.watching("t2") == []


def test_a_stream_and_a_table_cannot_share_a_name(lake: Store) -> None:
    with_table(lake, "t")
    with pytest.raises(UserError, match="TABLE_ALREADY_EXISTS"):
        lake.streams.create(a_stream("t"))
    with pytest.raises(UserError, match="TABLE_ALREADY_EXISTS"):
        lake.streams.create(a_stream("t"), replace=True)
    lake.streams.create(a_stream("s"))
    with pytest.raises(UserError, match="TABLE_ALREADY_EXISTS"):
        lake.tables.begin_create(a_table("s"))


def test_the_name_of_a_stream_stands_among_tables_but_not_in_their_lists(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    found = lake.tables.get(WORKSPACE, "public", "s")
    assert found is not None
    assert found.kind is TableKind.STREAM
    assert lake.tables.list(WORKSPACE) == []
    assert lake.tables.listing(WORKSPACE, "public") == []


def test_a_replaced_stream_begins_anew(lake: Store) -> None:
    lake.streams.create(a_stream("s", number=7))
    fresh = a_stream("s", id="other", offset=StreamOffset(9))
    lake.streams.create(fresh, replace=True)
    assert lake.streams.list(WORKSPACE) == [fresh]


def test_a_dropped_stream_frees_its_name(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    lake.streams.drop(a_stream("s"))
    assert lake.streams.list(WORKSPACE) == []
    lake.tables.begin_create(a_table("s"))


def test_an_offset_moves_with_the_commit_that_consumed_the_stream(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    target = with_table(lake, "target")
    shape = replace(target.shape, delta_version=target.shape.delta_version + 1)
    lake.tables.record(
        target.id,
        shape,
        versions=[consuming(1, 8, version=2)],
        expected_delta_version=target.shape.delta_version,
    )
    moved = lake.streams.by_id("id-s")
    assert moved is not None
    assert (moved.offset, moved.number) == (StreamOffset(8), 1)
    assert moved.consumed_at == a_version(version=2).committed_at


def test_a_commit_that_was_recorded_already_moves_nothing(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    target = with_table(lake, "target")
    recorded = lake.tables.record(
        target.id,
        target.shape,
        versions=[consuming(1, 8, version=2)],
        expected_delta_version=target.shape.delta_version + 99,
    )
    assert not recorded
    unmoved = lake.streams.by_id("id-s")
    assert unmoved is not None
    assert unmoved.offset == StreamOffset(3)


@pytest.mark.parametrize("number", [0, 2, 3, 5])
def test_only_the_next_move_is_made(lake: Store, number: int) -> None:
    lake.streams.create(a_stream("s", number=3))
    lake.streams.move([StreamMove("id-s", number, StreamOffset(8))], at(5))
    unmoved = lake.streams.by_id("id-s")
    assert unmoved is not None
    assert unmoved.offset == StreamOffset(3)


def test_a_table_made_from_a_stream_consumes_it_when_it_becomes_visible(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    made = lake.tables.begin_create(a_table("made"))
    assert lake.streams.watching("t1")[0].number == 0
    lake.tables.activate(made, consuming(1, 6))
    assert lake.streams.watching("t1")[0].offset == StreamOffset(6)


def test_a_schema_is_not_empty_while_it_holds_a_stream(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    schema = lake.schemas.get(WORKSPACE, "public")
    assert schema is not None
    with pytest.raises(UserError, match="1 stream"):
        lake.schemas.drop(schema, at(5))
    assert lake.schemas.drop_with_tables(schema, at(5)) == []
    assert lake.streams.list(WORKSPACE) == []


def test_a_claim_holds_while_its_job_is_not_finished(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    first, second = a_job(id="j1"), a_job(id="j2")
    lake.jobs.start(first)
    lake.jobs.start(second)
    next_move = [StreamMove("id-s", 1, StreamOffset(5))]
    assert lake.streams.claim(next_move, "j1") is None
    assert lake.streams.claim(next_move, "j1") is None, "the same job may try again"
    assert lake.streams.claim(next_move, "j2") == "id-s"
    lake.jobs.finish(replace(first, state=JobState.FAILED, ended_at=at(60), error="broken"))
    assert lake.streams.claim(next_move, "j2") is None


def test_a_stream_that_was_moved_cannot_be_claimed_for_the_same_changes(lake: Store) -> None:
    lake.streams.create(a_stream("s"))
    next_move = [StreamMove("id-s", 1, StreamOffset(5))]
    lake.streams.move(next_move, at(5))
    assert lake.streams.claim(next_move, "j1") == "id-s"
    assert lake.streams.claim([StreamMove("id-s", 2, StreamOffset(6))], "j1") is None


def test_streams_are_claimed_together_or_not_at_all(lake: Store) -> None:
    lake.streams.create(a_stream("a"))
    lake.streams.create(a_stream("b", number=7))
    lake.jobs.start(a_job(id="j1"))
    both = [StreamMove("id-a", 1, StreamOffset(5)), StreamMove("id-b", 1, StreamOffset(5))]
    assert lake.streams.claim(both, "j1") == "id-b"
    assert lake.streams.claim(both[:1], "j2") is None, "the first was given back"


def test_a_dropped_stream_cannot_be_claimed(lake: Store) -> None:
    assert lake.streams.claim([StreamMove("id-s", 1, StreamOffset(5))], "j1") == "id-s"
