"""Streams on Kafka tables: where they begin, and which messages are new, by partition.

A pipe over such a stream reads it batch by batch: then the batch says which messages, and its
commit moves the stream.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table
from headwater.catalog.streams import Stream, StreamOffset
from headwater.errors import SchemaError
from headwater.kafka.offsets import OffsetRange, TopicOffsets, plan_batch
from headwater.pipes.batches import Batch, KafkaBatch
from headwater.pipes.kafka_positions import EARLIEST, LATEST, offsets_at
from headwater.pipes.kafka_tables import relation_of
from headwater.runtime.open_lake import OpenLake
from headwater.sql.read_kafka import ReadKafka
from headwater.streams.reads import StreamRead

_ALL = 2**62


def first_offset(lake: OpenLake, table: Table, *, show_initial_rows: bool) -> StreamOffset:
    """Where a new stream begins: the end of the topics, or the table's own starting offset."""
    from headwater.pipes.messages import texts

    relation = relation_of(lake, table)
    earliest, latest = _ends(relation)
    if not show_initial_rows:
        return StreamOffset(partitions=texts(latest))
    known = {EARLIEST: earliest, LATEST: latest}
    wanted = offsets_at(relation.starting_offsets or EARLIEST, known, relation, EARLIEST)
    first = {
        topic: {p: max(offset, earliest[topic].get(p, offset)) for p, offset in of_topic.items()}
        for topic, of_topic in wanted.items()
    }
    return StreamOffset(partitions=texts(first))


def plan_kafka_read(
    lake: OpenLake, stream: Stream, table: Table, batch: Batch | None
) -> StreamRead:
    """The messages behind the stream's offsets: those of a pipe's batch, or all there are now."""
    if isinstance(batch, KafkaBatch):
        to = replace(stream.offset, initial=False, partitions=batch.offsets)
        return StreamRead(stream, to, messages=batch.ranges)
    from headwater.pipes.messages import offsets_of, texts

    earliest, latest = _ends(relation_of(lake, table))
    plan = plan_batch(
        offsets_of(stream.offset.partitions) or {}, earliest, latest, most_per_partition=_ALL
    )
    if plan.lost:
        raise _gone(stream, plan.lost[0])
    to = StreamOffset(partitions=texts(plan.after))
    # What was lost with a topic that was made anew nobody knows: its reader is told.
    warning = "; ".join(plan.warnings) or None
    return StreamRead(stream, to, messages=plan.ranges or _nothing(latest), warning=warning)


def _ends(relation: ReadKafka) -> tuple[TopicOffsets, TopicOffsets]:
    """The first offsets that are there, and those behind the last."""
    # Imported late: it brings the client of the brokers.
    from headwater.pipes.messages import client_of

    client = client_of(relation)
    try:
        return client.earliest(relation.topics), client.latest(relation.topics)
    finally:
        client.close()


def _nothing(latest: TopicOffsets) -> tuple[OffsetRange, ...]:
    """Spark wants at least one partition, of which it then reads no message."""
    return tuple(
        OffsetRange(topic, partition, end, end)
        for topic, partitions in latest.items()
        for partition, end in partitions.items()
    )


def _gone(stream: Stream, lost: OffsetRange) -> SchemaError:
    return SchemaError(
        "STREAM_MESSAGES_GONE",
        stream=f"{stream.schema}.{stream.name}",
        topic=lost.topic,
        partition=lost.partition,
        first=lost.start,
        last=lost.end - 1,
    )
