"""READ_KAFKA(..) inside a query: messages as a temporary view.

In a pipe the batch says which offsets; alone, the arguments do, from the earliest to the latest.
"""

from __future__ import annotations

from datetime import datetime

from headwater.kafka.offsets import OffsetRange, spark_assign, spark_offsets
from headwater.kafka.settings import for_spark, spark_patience
from headwater.pipes.batches import KafkaBatch
from headwater.pipes.kafka_positions import EARLIEST, LATEST, offsets_at
from headwater.sql.read_kafka import ReadKafka
from headwater.statements.context import Context
from headwater.time_zones import zone_of

_PREFIX = "kafka."
_SPLIT_BY_SIZE = "size"


def kafka_view(
    context: Context,
    relation: ReadKafka,
    *,
    headers: bool = True,
    messages: tuple[OffsetRange, ...] | None = None,
) -> str:
    """A temporary view over the messages; without `headers` that column is empty.

    `messages` says which ones, where it is neither the batch nor the relation that does.
    """
    options = {"kafka.bootstrap.servers": relation.bootstrap, "includeHeaders": str(headers)}
    settings = {k.removeprefix(_PREFIX): v for k, v in relation.settings if k.startswith(_PREFIX)}
    options |= for_spark(settings) | spark_patience(settings)
    if messages is not None:
        options |= _ranges(messages)
    elif isinstance(context.batch, KafkaBatch):
        options |= _ranges(context.batch.ranges)
        options |= _split(context, context.batch)
    else:
        options |= _ranges(_asked_for(context, relation))
    context.lake.engine.reach_kafka()
    name = context.session.next_view_name()
    context.session.spark().create_kafka_view(name, options)
    return name


def _ranges(ranges: tuple[OffsetRange, ...]) -> dict[str, str]:
    starting, ending = spark_offsets(ranges)
    return {
        "assign": spark_assign(ranges),
        "startingOffsets": starting,
        "endingOffsets": ending,
    }


def _split(context: Context, batch: KafkaBatch) -> dict[str, str]:
    """With the strategy `size`, a partition with many messages is read by several tasks."""
    pipe = context.store.pipes.by_id(batch.pipe_id)
    hint = split_of(pipe.properties if pipe is not None else ())
    return {} if hint is None else {"maxRecordsPerPartition": str(hint)}


def split_of(given: tuple[tuple[str, str], ...]) -> int | None:
    """How many messages one task reads at most, by the COPY_JOB_HINT of a pipe; None: all."""
    from headwater.sql.pipe_properties import properties_of

    if not given:
        return None
    hints = dict(properties_of(given).copy_job_hint)
    if hints.get("cz.sql.split.kafka.strategy", "simple").lower() != _SPLIT_BY_SIZE:
        return None
    return int(hints.get("cz.mapper.kafka.message.size", "1000000"))


def _asked_for(context: Context, relation: ReadKafka) -> tuple[OffsetRange, ...]:
    """The offsets of a query of its own, as they are now; the brokers are asked, not Spark.

    Spark would wait minutes for brokers that are away, and refuses to start at the latest offset.
    """
    # Imported late: it brings the client of the brokers.
    from headwater.pipes.messages import client_of

    topics = relation.topics
    client = client_of(relation)
    try:
        earliest, latest = client.earliest(topics), client.latest(topics)
        known = {EARLIEST: earliest, LATEST: latest}
        positions = [(EARLIEST, *relation.positions[::2]), (LATEST, *relation.positions[1::2])]
        # A moment wins over offsets, because it was asked for more precisely.
        starts, ends = (
            client.offsets_at(topics, _milliseconds(context, moment))
            if moment
            else offsets_at(text or default, known, relation, default)
            for default, text, moment in positions
        )
    finally:
        client.close()
    ranges = []
    for topic, partitions in latest.items():
        for partition, last in sorted(partitions.items()):
            lowest = earliest[topic].get(partition, last)
            start = min(max(starts[topic].get(partition, lowest), lowest), last)
            end = min(max(ends[topic].get(partition, last), start), last)
            ranges.append(OffsetRange(topic, partition, start, end))
    return tuple(ranges)


def _milliseconds(context: Context, text: str) -> int:
    if text.isdigit():
        return int(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone_of(context.session.time_zone))
    return round(moment.timestamp() * 1000)
