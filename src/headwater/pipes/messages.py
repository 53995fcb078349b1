"""Kafka as a source: a batch is a range of offsets in every partition.

How far a pipe has come is in the commit of its last batch. The consumer group is told afterwards,
for tools that watch how far behind it is; nothing is read from it but where a new pipe begins.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from headwater.catalog.pipes import Pipe
from headwater.catalog.streams import PartitionOffsets
from headwater.errors import HeadwaterError
from headwater.kafka.client import KafkaClient
from headwater.kafka.offsets import BatchPlan, TopicOffsets, first_offsets, lag, plan_batch
from headwater.kafka.reachable import is_reachable
from headwater.pipes.batches import Batch, KafkaBatch
from headwater.pipes.kafka_tables import topics_of
from headwater.pipes.latency import latency
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.sources import Look
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.sql.pipe_properties import PipeProperties
from headwater.sql.read_kafka import ReadKafka

_log = logging.getLogger(__name__)
_PREFIX = "kafka."
_AUTO_RESET = "auto.offset.reset"
_FIRST_ANSWER_SECONDS = 3.0


class Messages:
    """Reads the topics of a pipe."""

    def __init__(self, lake: OpenLake, pipe: OpenPipe) -> None:
        self._lake = lake
        self._pipe_id = pipe.pipe.id
        self._properties = pipe.properties
        topics = topics_of(lake, pipe)
        self._relation, self._stream_id = topics.relation, topics.stream_id
        self._client = client_of(self._relation)
        self._told = False
        """Whether the group is known to have the offsets of the last batch."""

    def look(self, number: int) -> Look:
        """The messages behind those that were read, as many as a batch may have."""
        pipe = self._pipe()
        topics = self._relation.topics
        current = offsets_of(self._consumed() if self._stream_id else pipe.offsets)
        if current is None:
            current = start(self._lake, pipe.id, self._relation, self._properties, self._client)
        earliest = self._client.earliest(topics)
        latest = self._client.latest(topics)
        self._tell_group(pipe, current)
        most = self._properties.batch_size_per_partition
        plan = plan_batch(current, earliest, latest, most_per_partition=most)
        self._report(plan)
        behind = latency(lag(plan.after, latest), at=now(), last_batch_at=pipe.last_batch_at)
        self._lake.store.pipes.set_latency(pipe.id, behind)
        if not plan.ranges:
            if plan.after != current and self._stream_id is None:
                keep_offsets(self._lake, pipe.id, plan.after)
            return Look()
        more = any(
            behind for of_topic in lag(plan.after, latest).values() for behind in of_topic.values()
        )
        return Look(KafkaBatch(pipe.id, number, plan.ranges, texts(plan.after)), more=more)

    def again(self, batch: Batch) -> Batch | None:
        """The same messages: Spark says so if they are gone.

        If somebody else has consumed the stream meanwhile, they are not to be read again.
        """
        assert isinstance(batch, KafkaBatch)
        if self._stream_id is None:
            return batch
        current = offsets_of(self._consumed()) or {}
        unread = all(
            current.get(r.topic, {}).get(r.partition, r.start) == r.start for r in batch.ranges
        )
        return batch if unread else None

    def done(self, batch: Batch) -> None:
        """Tell the consumer group; the commit has the truth, so a failure does no harm."""
        assert isinstance(batch, KafkaBatch)
        self._commit(offsets_of(batch.offsets) or {})
        reach("pipe.offsets_told")

    def _tell_group(self, pipe: Pipe, current: TopicOffsets) -> None:
        """Once per source: whoever committed the last batch may have died before telling."""
        if not self._told and pipe.batch:
            self._commit(current)

    def _commit(self, offsets: TopicOffsets) -> None:
        try:
            self._client.commit_group_offsets(offsets)
        except HeadwaterError as error:
            _log.warning("the offsets of the group were not committed: %s", error.message)
        else:
            self._told = True

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _pipe(self) -> Pipe:
        found = self._lake.store.pipes.by_id(self._pipe_id)
        assert found is not None
        return found

    def _consumed(self) -> PartitionOffsets | None:
        """How far the stream is that the pipe reads."""
        stream = self._lake.store.streams.by_id(self._stream_id or "")
        return stream.offset.partitions if stream is not None else None

    def _report(self, plan: BatchPlan) -> None:
        """What is lost, and other surprises, are laid aside for the owner of the pipe to see."""
        for lost in plan.lost:
            reason = (
                f"offsets {lost.start} to {lost.end - 1} of {lost.topic} partition"
                f" {lost.partition} were deleted by the brokers before they were read"
            )
            self._set_aside(f"lost {lost}", reason)
        for warning in plan.warnings:
            self._set_aside(warning, warning)

    def _set_aside(self, message_id: str, reason: str) -> None:
        _log.warning("%s", reason)
        self._lake.store.pipe_batches.set_aside(self._pipe_id, message_id, "", reason, now())


def client_of(relation: ReadKafka, *, timeout_seconds: float = 10.0) -> KafkaClient:
    """A client for the brokers that a relation names."""
    settings = {key.removeprefix(_PREFIX): value for key, value in relation.settings}
    return KafkaClient(
        relation.bootstrap, settings, relation.group_id, timeout_seconds=timeout_seconds
    )


def start(
    lake: OpenLake,
    pipe_id: str,
    relation: ReadKafka,
    properties: PipeProperties,
    client: KafkaClient,
) -> TopicOffsets:
    """Where a new pipe begins, kept at once because the end of a topic moves on."""
    topics = relation.topics
    reset = properties.reset_offsets
    at_time = None
    position: str | int = "none"
    if reset is not None:
        position = reset.timestamp_ms if reset.timestamp_ms is not None else reset.position.value
        if reset.timestamp_ms is not None:
            at_time = client.offsets_at(topics, reset.timestamp_ms)
    settings = dict(relation.settings)
    found = first_offsets(
        client.earliest(topics),
        client.latest(topics),
        group=client.group_offsets(topics),
        reset=position,  # type: ignore[arg-type]
        at_time=at_time,
        auto_offset_reset=settings.get(_PREFIX + _AUTO_RESET, "latest"),
    )
    keep_offsets(lake, pipe_id, found)
    return found


def start_now(
    lake: OpenLake, pipe_id: str, relation: ReadKafka, properties: PipeProperties
) -> None:
    """Fix where a pipe begins when it is made, if the brokers answer; else its first look does."""
    if not is_reachable(relation.bootstrap, timeout_seconds=_FIRST_ANSWER_SECONDS):
        return
    client = client_of(relation, timeout_seconds=_FIRST_ANSWER_SECONDS)
    try:
        start(lake, pipe_id, relation, properties, client)
    except HeadwaterError as error:
        # A topic that is made later, a password to be set right: the loop says it, and tries again.
        _log.info("where the pipe begins is found out later: %s", error.message)
    finally:
        client.close()


def keep_offsets(lake: OpenLake, pipe_id: str, offsets: TopicOffsets) -> None:
    """Remember how far a pipe is without a batch of its own."""
    lake.store.pipes.change(pipe_id, lambda pipe: replace(pipe, offsets=texts(offsets)))


def texts(offsets: TopicOffsets) -> dict[str, dict[str, int]]:
    """Offsets as JSON has them: the names of partitions are texts."""
    return {
        t: {str(p): offset for p, offset in of_topic.items()} for t, of_topic in offsets.items()
    }


def offsets_of(stored: Mapping[str, Mapping[str, int]] | None) -> TopicOffsets | None:
    """Offsets from JSON."""
    if stored is None:
        return None
    return {t: {int(p): offset for p, offset in of_topic.items()} for t, of_topic in stored.items()}
