"""READ_KAFKA(..) inside a query: messages as a temporary view.

In a pipe the batch says which offsets; alone, the arguments do, from the earliest to the latest.
"""

from __future__ import annotations

from datetime import datetime

from headwater.kafka.offsets import OffsetRange, spark_assign, spark_offsets
from headwater.kafka.settings import for_spark
from headwater.pipes.batches import KafkaBatch
from headwater.sql.read_kafka import ReadKafka
from headwater.statements.context import Context
from headwater.time_zones import zone_of

_PREFIX = "kafka."
_SPLIT_BY_SIZE = "size"


def kafka_view(context: Context, relation: ReadKafka) -> str:
    """A temporary view over the messages."""
    options = {"kafka.bootstrap.servers": relation.bootstrap}
    settings = {k.removeprefix(_PREFIX): v for k, v in relation.settings if k.startswith(_PREFIX)}
    options |= for_spark(settings)
    if isinstance(context.batch, KafkaBatch):
        options |= _ranges(context.batch.ranges)
        options |= _split(context, context.batch)
    else:
        options |= {"subscribe": ",".join(relation.topics), **_positions(context, relation)}
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


def _positions(context: Context, relation: ReadKafka) -> dict[str, str]:
    """Offsets or moments; a moment wins, because it was asked for more precisely."""
    options: dict[str, str] = {}
    if relation.starting_timestamp:
        options["startingTimestamp"] = _milliseconds(context, relation.starting_timestamp)
        # A moment after the last message means nothing to read, and no error.
        options["startingOffsetsByTimestampStrategy"] = "latest"
    else:
        options["startingOffsets"] = relation.starting_offsets or "earliest"
    if relation.ending_timestamp:
        options["endingTimestamp"] = _milliseconds(context, relation.ending_timestamp)
    else:
        options["endingOffsets"] = relation.ending_offsets or "latest"
    return options


def _milliseconds(context: Context, text: str) -> str:
    if text.isdigit():
        return text
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone_of(context.session.time_zone))
    return str(round(moment.timestamp() * 1000))
