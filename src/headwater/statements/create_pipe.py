"""CREATE PIPE.

Invariant: a statement with a secret in it is kept sealed; what is shown of it is masked.
"""

from __future__ import annotations

import uuid
from dataclasses import replace

from headwater.catalog.objects import Table
from headwater.catalog.pipes import BODY, Pipe, PipeStatus
from headwater.errors import Span, UserError
from headwater.files.connections import key_source
from headwater.pipes.kafka_tables import kafka_table_among
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.create_pipe import CreatePipe
from headwater.sql.masking import mask
from headwater.sql.pipe_body import KafkaSource, StreamSource, VolumeSource
from headwater.statements.context import Context
from headwater.statements.find_vcluster import require_vcluster
from headwater.statements.pipe_source import (
    PipeInput,
    kafka_input,
    kafka_stream_input,
    kafka_table_input,
    volume_input,
)
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, find_writable_table

_COVER = "****"


def create_pipe(context: Context, statement: CreatePipe) -> Result:
    """Keep a statement that runs for ever; the loop finds it, running from now on."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "pipe", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    store = context.store.pipes
    if store.get(name.workspace, name.schema, name.name) is not None:
        if statement.if_not_exists:
            return Result(message=f"pipe {name} exists already")
        raise UserError("PIPE_ALREADY_EXISTS", name=name, span=statement.name_span)
    require_vcluster(context, statement.properties.virtual_cluster)
    source = _input(context, statement)
    target = _target(context, statement)
    at = now()
    pipe = Pipe(
        id=uuid.uuid4().hex,
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        kind=source.kind,
        status=PipeStatus.RUNNING,
        body=mask(statement.body),
        body_schema=context.session.schema,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        input_name=source.name,
        output_name=f"{target.workspace}.{target.schema}.{target.name}",
        target_id=target.id,
        comment=statement.comment,
        properties=statement.properties.given,
        volume_id=source.volume_id,
        kafka_group=source.kafka_group,
    )
    store.create(replace(pipe, sealed_body=_sealed(context, pipe, statement.body)))
    if source.relation is not None:
        # Imported late: it brings the client of the brokers.
        from headwater.pipes.messages import start_now

        start_now(context.lake, pipe.id, source.relation, statement.properties)
    return Result(
        message=f"pipe {name} created and running; it loads while `headwater run` is at work"
    )


def _input(context: Context, statement: CreatePipe) -> PipeInput:
    source = statement.source
    shift = statement.body_span.start if statement.body_span is not None else 0
    if isinstance(source, VolumeSource):
        return volume_input(context, source, statement.properties, shift)
    if isinstance(source, KafkaSource):
        _refuse_masked(source)
        return kafka_input(source)
    assert isinstance(source, StreamSource)
    found = kafka_table_among(
        context.lake,
        source,
        workspace=context.session.workspace,
        schema=context.session.schema,
    )
    if found is not None and found.stream is not None:
        return kafka_stream_input(context, found.table, found.stream)
    if found is not None:
        return kafka_table_input(context, found.table)
    names = ", ".join(str(candidate) for candidate in source.candidates)
    span = source.spans[0] if source.spans else None
    place = Span(span.start + shift, span.end + shift) if span is not None else None
    raise UserError("PIPE_READS_NO_STREAM", names=names, span=place)


def _refuse_masked(source: KafkaSource) -> None:
    for key, value in source.relation.settings:
        if value == _COVER:
            raise UserError("SECRET_IS_MASKED", key=key)


def _target(context: Context, statement: CreatePipe) -> Table:
    target = statement.statement.target
    span = context.span_of(target)
    return find_writable_table(
        context.store, context.qualify(target), statement="a pipe", span=span
    )


def _sealed(context: Context, pipe: Pipe, body: str) -> str | None:
    if pipe.body == body:
        return None
    # Imported late, and a key made, only for statements that have something to hide.
    from headwater.sealing.seal import seal

    ring = key_source(context.lake).load_or_create()
    return seal(body, ring, owner_id=pipe.id, name=BODY)
