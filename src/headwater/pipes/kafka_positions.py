"""From a position as text, 'earliest', 'latest' or JSON, to the offset of every partition; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from headwater.errors import ValueRejected
from headwater.kafka.offsets import TopicOffsets
from headwater.sql.read_kafka import ARGUMENTS, ReadKafka

EARLIEST, LATEST = "earliest", "latest"
_WORDS = {-2: EARLIEST, -1: LATEST}
"""What these numbers mean in place of an offset."""


def offsets_at(
    text: str, known: Mapping[str, TopicOffsets], relation: ReadKafka, default: str
) -> TopicOffsets:
    """`earliest`, `latest`, or JSON; partitions it leaves out are read as if nothing was said."""
    if text in known:
        return known[text]
    given = json.loads(text)
    found = {topic: dict(partitions) for topic, partitions in known[default].items()}
    for topic, partitions in given.items():
        for name, offset in partitions.items():
            partition = int(name)
            if partition not in found[topic]:
                raise _no_partition(relation, topic, partition, default)
            word = _WORDS.get(offset)
            found[topic][partition] = known[word][topic][partition] if word else offset
    return found


def _no_partition(relation: ReadKafka, topic: str, partition: int, default: str) -> ValueRejected:
    number = 5 if default == EARLIEST else 6
    return ValueRejected(
        "READ_KAFKA_ARGUMENT",
        number=number,
        name=ARGUMENTS[number - 1],
        expected=f"partitions that exist, and topic '{topic}' has no partition {partition}",
        span=relation.spans[number - 1] if relation.spans else None,
    )
