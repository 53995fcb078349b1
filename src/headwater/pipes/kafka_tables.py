"""Kafka external tables: from what the catalog has to the topics that READ_KAFKA would name."""

from __future__ import annotations

from headwater.catalog.connections import ConnectionType
from headwater.catalog.objects import Table, TableKind
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


def kafka_table_among(
    lake: OpenLake, source: StreamSource, *, workspace: str, schema: str
) -> Table | None:
    """The one Kafka table among the relations that a statement reads by name, if there is one."""
    names = (c.qualified(workspace=workspace, schema=schema) for c in source.candidates)
    tables = [lake.store.tables.get(n.workspace, n.schema, n.name) for n in names]
    found = [table for table in tables if table is not None and table.kind is TableKind.KAFKA]
    if len(found) > 1:
        shown = [f"{table.schema}.{table.name}" for table in found[:2]]
        raise UserError("PIPE_TWO_KAFKA_TABLES", first=shown[0], second=shown[1])
    return found[0] if found else None


def topics_of(lake: OpenLake, pipe: OpenPipe) -> ReadKafka:
    """What a Kafka pipe reads, as READ_KAFKA would name it."""
    source = pipe.body.source
    if isinstance(source, KafkaSource):
        return source.relation
    assert isinstance(source, StreamSource)
    own = pipe.pipe
    table = kafka_table_among(lake, source, workspace=own.workspace, schema=own.body_schema)
    if table is None:
        shown = f"{own.schema}.{own.name}"
        raise SchemaError("PIPE_KAFKA_TABLE_GONE", pipe=shown, table=own.input_name)
    return relation_of(lake, table)


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
