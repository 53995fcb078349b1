"""Kafka external tables: from what the catalog has to the topics that READ_KAFKA would name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.catalog.connections import ConnectionType
from headwater.catalog.objects import Table, TableKind
from headwater.catalog.streams import Stream
from headwater.catalog.streams import StreamSource as Watched
from headwater.errors import SchemaError, UserError
from headwater.pipes.open_pipe import OpenPipe
from headwater.runtime.open_lake import OpenLake
from headwater.sql.create_kafka_table import CreateKafkaTable
from headwater.sql.parse import parse
from headwater.sql.pipe_body import KafkaSource, StreamSource
from headwater.sql.read_kafka import ReadKafka


def relation_of(lake: OpenLake, table: Table) -> ReadKafka:
    """The messages of a Kafka table, at the brokers of its connection as it is now."""
    statement = parse(table.view_text or "")
    assert isinstance(statement, CreateKafkaTable)
    options = statement.options
    protocol, servers = brokers_of(lake, table.workspace, statement.connection.name)
    return ReadKafka(
        bootstrap=servers,
        topics=options.topics,
        group_id=options.group_id,
        starting_offsets=options.starting_offset,
        ending_offsets=options.ending_offset,
        settings=(("kafka.security.protocol", protocol), *_reset(options.starting_offset)),
    )


def _reset(starting_offset: str) -> tuple[tuple[str, str], ...]:
    """Where a pipe over the table begins: a new group has no offset of its own."""
    if starting_offset not in ("earliest", "latest"):
        return ()
    return (("kafka.auto.offset.reset", starting_offset),)


@dataclass(frozen=True, slots=True)
class KafkaInput:
    """A Kafka table that a pipe reads, itself or by a stream on it."""

    table: Table
    stream: Stream | None = None

    @property
    def shown(self) -> str:
        """The name that the statement gives."""
        named = self.stream or self.table
        return f"{named.schema}.{named.name}"


def kafka_table_among(
    lake: OpenLake, source: StreamSource, *, workspace: str, schema: str
) -> KafkaInput | None:
    """The one Kafka table among the relations that a statement reads by name, if there is one."""
    names = (c.qualified(workspace=workspace, schema=schema) for c in source.candidates)
    tables = [lake.store.tables.get(n.workspace, n.schema, n.name) for n in names]
    inputs = [_kafka_input(lake, table) for table in tables if table is not None]
    found = [one for one in inputs if one is not None]
    if len(found) > 1:
        raise UserError("PIPE_TWO_KAFKA_TABLES", first=found[0].shown, second=found[1].shown)
    return found[0] if found else None


def _kafka_input(lake: OpenLake, named: Table) -> KafkaInput | None:
    if named.kind is TableKind.KAFKA:
        return KafkaInput(named)
    stream = lake.store.streams.by_id(named.id) if named.kind is TableKind.STREAM else None
    if stream is None or stream.source is not Watched.KAFKA:
        return None
    table = lake.store.tables.get_by_id(stream.source_id)
    return None if table is None else KafkaInput(table, stream)


@dataclass(frozen=True, slots=True)
class Topics:
    """What a Kafka pipe reads, as READ_KAFKA would name it; by a stream, the stream's offsets."""

    relation: ReadKafka
    stream_id: str | None = None


def topics_of(lake: OpenLake, pipe: OpenPipe) -> Topics:
    """What the statement of a pipe reads."""
    source = pipe.body.source
    if isinstance(source, KafkaSource):
        return Topics(source.relation)
    assert isinstance(source, StreamSource)
    own = pipe.pipe
    found = kafka_table_among(lake, source, workspace=own.workspace, schema=own.body_schema)
    if found is None:
        shown = f"{own.schema}.{own.name}"
        raise SchemaError("PIPE_KAFKA_TABLE_GONE", pipe=shown, table=own.input_name)
    if found.stream is None:
        return Topics(relation_of(lake, found.table))
    return Topics(stream_topics(lake, found.table, found.stream), found.stream.id)


def stream_topics(lake: OpenLake, table: Table, stream: Stream) -> ReadKafka:
    """The messages of a stream's table; where the table names no group, the stream is one."""
    relation = relation_of(lake, table)
    return replace(relation, group_id=relation.group_id or f"headwater.stream.{stream.id}")


def brokers_of(lake: OpenLake, workspace: str, name: str) -> tuple[str, str]:
    """The protocol and the addresses of a Kafka connection."""
    found = lake.store.connections.get(workspace, name)
    if found is None:
        raise UserError("CONNECTION_NOT_FOUND", name=name, hint="SHOW CONNECTIONS")
    if found.type is not ConnectionType.KAFKA:
        raise UserError("CONNECTION_NOT_KAFKA", name=name, type=found.type)
    servers = found.settings["bootstrap_servers"]
    protocol = str(found.settings.get("security_protocol", "PLAINTEXT"))
    return protocol, servers if isinstance(servers, str) else ",".join(servers)
