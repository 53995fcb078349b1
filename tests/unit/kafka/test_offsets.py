"""Planning batches: where a pipe starts, what a batch reads, and the law that nothing is missed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.kafka.offsets import (
    BatchPlan,
    OffsetRange,
    Reset,
    TopicOffsets,
    first_offsets,
    lag,
    plan_batch,
    spark_assign,
    spark_offsets,
)

EARLIEST = {"t": {0: 10, 1: 20}}
LATEST = {"t": {0: 100, 1: 200}}
MANY = 1_000_000


def plan(current: TopicOffsets, *, most: int = MANY) -> BatchPlan:
    return plan_batch(current, EARLIEST, LATEST, most_per_partition=most)


def test_a_batch_reads_from_where_the_last_one_ended() -> None:
    planned = plan({"t": {0: 30, 1: 40}})
    assert planned.ranges == (OffsetRange("t", 0, 30, 100), OffsetRange("t", 1, 40, 200))
    assert planned.after == LATEST
    assert planned.lost == planned.warnings == ()


def test_a_batch_is_bounded_in_each_partition() -> None:
    planned = plan({"t": {0: 30, 1: 195}}, most=20)
    assert planned.ranges == (OffsetRange("t", 0, 30, 50), OffsetRange("t", 1, 195, 200))
    assert planned.after == {"t": {0: 50, 1: 200}}


def test_nothing_new_is_an_empty_batch() -> None:
    assert plan(LATEST) == BatchPlan((), LATEST)


def test_a_new_partition_is_read_from_its_start() -> None:
    planned = plan({"t": {0: 100}})
    assert planned.ranges == (OffsetRange("t", 1, 20, 200),)
    assert planned.lost == ()


def test_a_new_partition_without_messages_is_remembered() -> None:
    planned = plan_batch({"t": {0: 5}}, {"t": {0: 0, 1: 0}}, {"t": {0: 5, 1: 0}}, **bound())
    assert planned == BatchPlan((), {"t": {0: 5, 1: 0}})


def test_a_partition_that_only_one_answer_knows_waits() -> None:
    planned = plan_batch({"t": {0: 5}}, {"t": {0: 0}}, {"t": {0: 7, 1: 3}}, **bound())
    assert planned == BatchPlan((OffsetRange("t", 0, 5, 7),), {"t": {0: 7}})


def test_what_expired_is_reported_as_lost() -> None:
    planned = plan({"t": {0: 4, 1: 200}})
    assert planned.ranges == (OffsetRange("t", 0, 10, 100),)
    assert planned.lost == (OffsetRange("t", 0, 4, 10),)


def test_what_expired_is_reported_once_even_if_nothing_is_left() -> None:
    empty = {"t": {0: 50}}
    planned = plan_batch({"t": {0: 3}}, empty, empty, **bound())
    assert planned == BatchPlan((), empty, (OffsetRange("t", 0, 3, 50),))
    assert plan_batch(planned.after, empty, empty, **bound()) == BatchPlan((), empty)


def test_a_topic_made_anew_is_read_from_its_start() -> None:
    planned = plan({"t": {0: 101, 1: 200}})
    assert planned.ranges == (OffsetRange("t", 0, 10, 100),)
    assert planned.lost == ()
    [warning] = planned.warnings
    assert "partition 0 of topic 't'" in warning
    assert "101" in warning


def test_a_partition_that_is_gone_is_reported_and_remembered() -> None:
    planned = plan({"t": {0: 100, 1: 200, 2: 7}})
    assert planned.ranges == ()
    assert planned.after == {"t": {0: 100, 1: 200, 2: 7}}
    assert planned.warnings == ("partition 2 of topic 't' does not exist any more",)


def test_a_batch_of_no_messages_is_a_bug() -> None:
    with pytest.raises(ValueError, match="never ends"):
        plan(LATEST, most=0)


@pytest.mark.parametrize(
    ("reset", "group", "auto", "expected"),
    [
        ("none", None, "latest", {0: 100, 1: 200}),
        ("none", None, "earliest", {0: 10, 1: 20}),
        ("none", {}, "latest", {0: 100, 1: 200}),
        ("none", {"other": {0: 1}}, "latest", {0: 100, 1: 200}),
        ("none", {"t": {0: 30, 1: 40}}, "latest", {0: 30, 1: 40}),
        ("none", {"t": {0: 30}}, "latest", {0: 30, 1: 20}),
        ("none", {"t": {0: 5, 1: 300}}, "latest", {0: 5, 1: 300}),
        ("valid", {"t": {0: 30, 1: 40}}, "latest", {0: 30, 1: 40}),
        ("valid", {"t": {0: 10, 1: 200}}, "latest", {0: 10, 1: 200}),
        ("valid", {"t": {0: 9, 1: 201}}, "latest", {0: 10, 1: 20}),
        ("valid", None, "latest", {0: 10, 1: 20}),
        ("earliest", {"t": {0: 30}}, "latest", {0: 10, 1: 20}),
        ("latest", {"t": {0: 30}}, "earliest", {0: 100, 1: 200}),
        (1700000000000, {"t": {0: 30}}, "earliest", {0: 60, 1: 200}),
    ],
)
def test_where_a_pipe_starts(
    reset: Reset, group: TopicOffsets | None, auto: str, expected: dict[int, int]
) -> None:
    first = first_offsets(
        EARLIEST,
        LATEST,
        group=group,
        reset=reset,
        at_time={"t": {0: 60}},
        auto_offset_reset=auto,
    )
    assert first == {"t": expected}


def test_a_first_batch_starts_there_too() -> None:
    planned = plan_batch(None, EARLIEST, LATEST, group={"t": {0: 5, 1: 199}}, **bound())
    assert planned.ranges == (OffsetRange("t", 0, 10, 100), OffsetRange("t", 1, 199, 200))
    assert planned.lost == (OffsetRange("t", 0, 5, 10),)


@pytest.mark.parametrize(
    ("auto", "condition"),
    [("none", "KAFKA_GROUP_HAS_NO_OFFSETS"), ("soon", "KAFKA_AUTO_OFFSET_RESET_UNKNOWN")],
)
def test_no_place_to_start(auto: str, condition: str) -> None:
    with pytest.raises(UserError, match=condition):
        first_offsets(EARLIEST, LATEST, group=None, auto_offset_reset=auto)


def test_lag_is_counted_per_partition() -> None:
    assert lag({"t": {0: 30, 1: 200}}, LATEST) == {"t": {0: 70, 1: 0}}
    assert lag({"t": {0: 101}, "gone": {0: 1}}, LATEST) == {"t": {0: 0}}


def test_offsets_as_spark_takes_them() -> None:
    ranges = [OffsetRange("t", 0, 1, 2), OffsetRange("t", 10, 3, 4), OffsetRange("u-v.w", 0, 5, 6)]
    starting, ending = spark_offsets(ranges)
    assert json.loads(starting) == {"t": {"0": 1, "10": 3}, "u-v.w": {"0": 5}}
    assert json.loads(ending) == {"t": {"0": 2, "10": 4}, "u-v.w": {"0": 6}}
    assert json.loads(spark_assign(ranges)) == {"t": [0, 10], "u-v.w": [0]}


def bound() -> dict[str, int]:
    return {"most_per_partition": MANY}


@dataclass(slots=True)
class World:
    """A topic whose messages come and expire, and what a pipe has seen of it."""

    earliest: dict[int, int] = field(default_factory=dict)
    latest: dict[int, int] = field(default_factory=dict)
    current: TopicOffsets | None = None
    start: dict[int, int] = field(default_factory=dict)
    """Where each partition must have been begun, once it could be seen."""
    seen: dict[int, list[int]] = field(default_factory=dict)
    """The offsets read or lost, in the order in which they were reported."""

    def add_partition(self, first: int) -> None:
        number = len(self.latest)
        self.earliest[number] = self.latest[number] = first

    def produce(self, number: int, count: int) -> None:
        self.latest[number % len(self.latest)] += count

    def expire(self, number: int, count: int) -> None:
        number %= len(self.latest)
        self.earliest[number] = min(self.latest[number], self.earliest[number] + count)

    def begin(self, reset: Reset) -> None:
        self.current = first_offsets(
            {"t": self.earliest}, {"t": self.latest}, group=None, reset=reset
        )
        self.start = dict(self.latest if reset in ("latest", "none") else self.earliest)

    def batch(self, most: int) -> BatchPlan:
        earliest, latest = {"t": dict(self.earliest)}, {"t": dict(self.latest)}
        self.start = {**self.earliest, **self.start}
        planned = plan_batch(self.current, earliest, latest, most_per_partition=most)
        self.current = planned.after
        for one in planned.lost:
            assert one.end == self.earliest[one.partition]
            self.report(one)
        for one in planned.ranges:
            assert 0 < one.end - one.start <= most
            assert self.earliest[one.partition] <= one.start
            self.report(one)
        assert not planned.warnings
        return planned

    def report(self, one: OffsetRange) -> None:
        self.seen.setdefault(one.partition, []).extend(range(one.start, one.end))


SMALL = st.integers(0, 8)
STEPS = st.one_of(
    st.tuples(st.just("produce"), SMALL, SMALL),
    st.tuples(st.just("expire"), SMALL, SMALL),
    st.tuples(st.just("batch"), st.integers(1, 5)),
    st.tuples(st.just("add_partition"), st.just(0)),
)


@settings(max_examples=400)
@given(
    firsts=st.lists(SMALL, min_size=1, max_size=3),
    before=st.lists(st.tuples(SMALL, SMALL), max_size=4),
    reset=st.sampled_from(["earliest", "latest", "none", "valid"]),
    steps=st.lists(STEPS, max_size=30),
    most=st.integers(1, 50),
)
def test_every_offset_is_read_once_and_in_order_or_reported_as_lost(
    firsts: list[int],
    before: list[tuple[int, int]],
    reset: Reset,
    steps: list[tuple],
    most: int,
) -> None:
    world = World()
    for first in firsts:
        world.add_partition(first)
    for number, count in before:
        world.produce(number, count)
    world.begin(reset)
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
    while world.batch(most).ranges:
        pass
    for partition, end in world.latest.items():
        expected = list(range(world.start[partition], end))
        assert world.seen.get(partition, []) == expected
