"""What a new pipe reads: the volume or the topics, held against what a pipe may read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.catalog.objects import Table
from headwater.catalog.pipes import PipeKind
from headwater.catalog.streams import Stream
from headwater.catalog.volumes import Volume
from headwater.errors import Span, UserError
from headwater.files.connections import store_connection
from headwater.files.reading import require_readable
from headwater.files.volumes import find_volume
from headwater.pipes.kafka_tables import relation_of, stream_topics
from headwater.sql.pipe_body import KafkaSource, VolumeSource
from headwater.sql.pipe_properties import IngestMode, PipeProperties
from headwater.sql.read_kafka import ReadKafka
from headwater.statements.context import Context
from headwater.storage.addresses import Scheme, parse_location
from headwater.streams.queue_readers import volume_reading

_QUEUES = {
    Scheme.S3: ("AWS_SQS_QUEUE", "sqs_queue"),
    Scheme.OSS: ("ALICLOUD_MNS_QUEUE", "mns_queue"),
}


@dataclass(frozen=True, slots=True)
class PipeInput:
    """Where a pipe reads from, as the catalog keeps it."""

    kind: PipeKind
    name: str
    volume_id: str | None = None
    kafka_group: str | None = None
    relation: ReadKafka | None = None
    """The topics, if it reads any."""


def volume_input(
    context: Context, source: VolumeSource, properties: PipeProperties, shift: int
) -> PipeInput:
    """The volume, if a pipe may read it; `shift` is where the pipe's statement begins."""
    ref = source.relation.volume
    assert ref.name is not None
    span = Span(ref.span.start + shift, ref.span.end + shift) if ref.span is not None else None
    require_readable(source.relation, shift=shift)
    volume = find_volume(context.lake, context.qualify(ref.name), span=span)
    name = f"{volume.workspace}.{volume.schema}.{volume.name}"
    if volume.external:
        address = parse_location(volume.url)
        if not address.prefix.strip("/"):
            raise UserError("PIPE_AT_BUCKET_ROOT", volume=name, location=volume.url, span=span)
    if properties.ingest_mode is IngestMode.EVENT_NOTIFICATION:
        _require_events(context, volume, properties, span)
    taken = context.store.pipes.using_volume(volume.id)
    if taken:
        other = f"{taken[0].schema}.{taken[0].name}"
        raise UserError("VOLUME_HAS_PIPE", volume=name, pipe=other, span=span)
    return PipeInput(PipeKind.VOLUME, f"volume:{name}", volume_id=volume.id)


def kafka_input(source: KafkaSource) -> PipeInput:
    """The topics; a group of theirs belongs to one pipe."""
    read = source.relation
    topics = ",".join(read.topics)
    group = f"{read.bootstrap}|{topics}|{read.group_id}"
    return PipeInput(PipeKind.KAFKA, f"kafka:{topics}", kafka_group=group, relation=read)


def kafka_table_input(context: Context, table: Table) -> PipeInput:
    """The topics of a Kafka table, read by the group that the table names."""
    read = relation_of(context.lake, table)
    name = f"{table.workspace}.{table.schema}.{table.name}"
    if not read.group_id:
        raise UserError("PIPE_GROUP_OF_TABLE_MISSING", table=name)
    made = kafka_input(KafkaSource(read))
    return replace(made, name=f"kafka_table:{name}")


def kafka_stream_input(context: Context, table: Table, stream: Stream) -> PipeInput:
    """The stream on a Kafka table, which belongs to one pipe and says where it begins."""
    name = f"{stream.workspace}.{stream.schema}.{stream.name}"
    made = kafka_input(KafkaSource(stream_topics(context.lake, table, stream)))
    # Its own offsets count, not those of a group: nothing is to be asked of the brokers first.
    return replace(
        made, name=f"kafka_table_stream:{name}", kafka_group=f"stream:{stream.id}", relation=None
    )


def _require_events(
    context: Context, volume: Volume, properties: PipeProperties, span: Span | None
) -> None:
    """A store that tells of its files, its own kind of queue, and a role that may read both."""
    name = f"{volume.workspace}.{volume.schema}.{volume.name}"
    scheme = parse_location(volume.url).scheme if volume.external else Scheme.FILE
    if scheme not in _QUEUES:
        raise UserError("PIPE_EVENTS_OF_STORE", volume=name, store=scheme.upper(), span=span)
    wanted, field = _QUEUES[scheme]
    queue = getattr(properties, field)
    if queue is None:
        raise UserError(
            "PIPE_QUEUE_OF_OTHER_STORE", volume=name, store=scheme.upper(), wanted=wanted, span=span
        )
    reader = volume_reading(context.lake, scheme, queue)
    if reader is not None:
        other = f"{reader.schema}.{reader.name}"
        raise UserError("PIPE_QUEUE_HAS_STREAM", queue=queue, volume=other, span=span)
    found = context.store.connections.by_id(volume.connection_id) if volume.connection_id else None
    if found is None or store_connection(context.lake, found).role is None:
        raise UserError(
            "PIPE_EVENTS_NEED_ROLE", volume=name, connection=volume.connection, span=span
        )
