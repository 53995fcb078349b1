"""Which offsets the next batch of a Kafka pipe reads; pure.

Law: the ranges of consecutive batches, each planned from the `after` of the one before, cover every
offset of a partition from its first one on exactly once and in order; what the brokers deleted
before it was read is reported as lost, and nothing else is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from headwater.errors import UserError

TopicOffsets = Mapping[str, Mapping[int, int]]
"""Topic, partition, offset: the offset of the next message to read."""
Reset = Literal["none", "valid", "earliest", "latest"] | int
"""RESET_KAFKA_GROUP_OFFSETS of a pipe; a number is a time in milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Messages of one partition: start included, end excluded."""

    topic: str
    partition: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What to read, and where that leaves the pipe.

    `after` is stored with the batch, and is worth storing when there is nothing to read too: it
    knows new partitions, and what is lost is then reported only once.
    """

    ranges: tuple[OffsetRange, ...]
    after: TopicOffsets
    lost: tuple[OffsetRange, ...] = ()
    """Offsets that the brokers deleted before they were read."""
    warnings: tuple[str, ...] = ()


def first_offsets(
    earliest: TopicOffsets,
    latest: TopicOffsets,
    *,
    group: TopicOffsets | None,
    reset: Reset = "none",
    at_time: TopicOffsets | None = None,
    auto_offset_reset: str = "latest",
) -> TopicOffsets:
    """Where a new pipe starts; to be stored at once, because `latest` moves on.

    `group` are the offsets that the consumer group committed, `at_time` those of the moment that
    `reset` names if it is a number. A partition that a group lacks, although it knows the topic, is
    a new one and is read from its start.
    """
    ends = {"earliest": earliest, "latest": latest}
    first: dict[str, dict[int, int]] = {}
    for topic, partition in _partitions(earliest, latest):
        committed = _at(group, topic, partition)
        lowest, highest = earliest[topic][partition], latest[topic][partition]
        if isinstance(reset, int):
            # No message at or after that moment: it lies in the future.
            found = _at(at_time, topic, partition)
            start = highest if found is None else found
        elif reset == "valid":
            valid = committed is not None and lowest <= committed <= highest
            start = committed if committed is not None and valid else lowest
        elif reset != "none":
            start = ends[reset][topic][partition]
        elif committed is not None:
            start = committed
        elif (group or {}).get(topic):
            start = lowest
        elif auto_offset_reset in ends:
            start = ends[auto_offset_reset][topic][partition]
        else:
            raise _no_start(topic, auto_offset_reset)
        first.setdefault(topic, {})[partition] = start
    return first


def plan_batch(
    current: TopicOffsets | None,
    earliest: TopicOffsets,
    latest: TopicOffsets,
    *,
    most_per_partition: int,
    group: TopicOffsets | None = None,
    reset: Reset = "none",
    at_time: TopicOffsets | None = None,
    auto_offset_reset: str = "latest",
) -> BatchPlan:
    """The next batch after `current`; without it the first one, see `first_offsets`.

    `earliest` must have been asked for before `latest`. A partition only one of them knows has just
    been made, and waits for the next batch.
    """
    if most_per_partition < 1:
        raise ValueError(f"a batch of {most_per_partition} messages per partition never ends")
    if current is None:
        current = first_offsets(
            earliest,
            latest,
            group=group,
            reset=reset,
            at_time=at_time,
            auto_offset_reset=auto_offset_reset,
        )
    ranges: list[OffsetRange] = []
    lost: list[OffsetRange] = []
    warnings = _gone(current, latest)
    after = {topic: dict(partitions) for topic, partitions in current.items()}
    for topic, partition in _partitions(earliest, latest):
        lowest, highest = earliest[topic][partition], latest[topic][partition]
        known = _at(current, topic, partition)
        start = lowest if known is None else known
        if start > max(lowest, highest):
            warnings.append(_made_anew(topic, partition, start, highest, lowest))
            start = lowest
        elif start < lowest:
            lost.append(OffsetRange(topic, partition, start, lowest))
            start = lowest
        end = max(start, min(highest, start + most_per_partition))
        if end > start:
            ranges.append(OffsetRange(topic, partition, start, end))
        after.setdefault(topic, {})[partition] = end
    return BatchPlan(tuple(ranges), after, tuple(lost), tuple(warnings))


def lag(current: TopicOffsets, latest: TopicOffsets) -> dict[str, dict[int, int]]:
    """How many offsets lie between a pipe and the end of each partition it knows."""
    behind: dict[str, dict[int, int]] = {}
    for topic, partition in _partitions(current, latest):
        distance = latest[topic][partition] - current[topic][partition]
        behind.setdefault(topic, {})[partition] = max(0, distance)
    return behind


def spark_assign(ranges: Sequence[OffsetRange]) -> str:
    """Option `assign` of Spark's Kafka source: just these partitions.

    With `subscribe` Spark would insist on offsets for all partitions of a topic.
    """
    partitions: dict[str, list[int]] = {}
    for one in ranges:
        partitions.setdefault(one.topic, []).append(one.partition)
    return json.dumps(partitions)


def spark_offsets(ranges: Sequence[OffsetRange]) -> tuple[str, str]:
    """Options `startingOffsets` and `endingOffsets` of Spark's Kafka source for these ranges."""
    starting: dict[str, dict[str, int]] = {}
    ending: dict[str, dict[str, int]] = {}
    for one in ranges:
        starting.setdefault(one.topic, {})[str(one.partition)] = one.start
        ending.setdefault(one.topic, {})[str(one.partition)] = one.end
    return json.dumps(starting), json.dumps(ending)


def _partitions(some: TopicOffsets, others: TopicOffsets) -> Iterator[tuple[str, int]]:
    """The partitions that both know, in order."""
    for topic in sorted(some.keys() & others.keys()):
        for partition in sorted(some[topic].keys() & others[topic].keys()):
            yield topic, partition


def _at(offsets: TopicOffsets | None, topic: str, partition: int) -> int | None:
    return (offsets or {}).get(topic, {}).get(partition)


def _gone(current: TopicOffsets, latest: TopicOffsets) -> list[str]:
    return [
        f"partition {partition} of topic '{topic}' does not exist any more"
        for topic, partitions in sorted(current.items())
        for partition in sorted(partitions.keys() - latest.get(topic, {}).keys())
    ]


def _made_anew(topic: str, partition: int, start: int, highest: int, lowest: int) -> str:
    return (
        f"partition {partition} of topic '{topic}' ends at offset {highest}, before the offset"
        f" {start} to read next: the topic was made anew, and is read from offset {lowest}"
    )


def _no_start(topic: str, auto_offset_reset: str) -> UserError:
    if auto_offset_reset == "none":
        return UserError("KAFKA_GROUP_HAS_NO_OFFSETS", topic=topic)
    return UserError("KAFKA_AUTO_OFFSET_RESET_UNKNOWN", value=auto_offset_reset)
