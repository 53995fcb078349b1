"""CREATE EXTERNAL TABLE .. USING KAFKA: topics under a name, with credentials in a connection."""

from __future__ import annotations

import uuid

from headwater.catalog.objects import Table, TableColumn, TableKind, TableShape, TableState
from headwater.pipes.kafka_tables import brokers_of
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.create_kafka_table import CreateKafkaTable
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, name_taken


def create_kafka_table(context: Context, statement: CreateKafkaTable) -> Result:
    """Keep what the topics are; nothing is asked of the brokers yet."""
    name = context.qualify(statement.name)
    span = statement.name_span
    require_allowed_name(name.name, "table", span=span)
    find_schema(context.store, name.workspace, name.schema, span=span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is not None:
        if statement.if_not_exists:
            return Result(message=f"table {name} exists already")
        raise name_taken(existing, span=span)
    brokers_of(context.lake, name.workspace, statement.connection.name)
    at = now()
    columns = tuple(
        TableColumn(c.name, c.type.lower(), nullable=c.nullable, comment=c.comment)
        for c in statement.columns
    )
    context.lake.writer.ensure()
    context.store.tables.insert_active(
        Table(
            id=uuid.uuid4().hex[:12],
            workspace=name.workspace,
            schema=name.schema,
            name=name.name,
            kind=TableKind.KAFKA,
            state=TableState.ACTIVE,
            creator=context.session.user,
            created_at=at,
            modified_at=at,
            location=statement.connection.name,
            managed=False,
            shape=TableShape(columns=columns, comment=statement.comment),
            view_text=statement.to_sql(),
            created_by_job=context.job_id,
        )
    )
    return Result(message=f"table {name} created over {', '.join(statement.options.topics)}")
