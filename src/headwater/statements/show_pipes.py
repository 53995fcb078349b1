"""SHOW PIPES; with EXTENDED also what each did and what waits for it."""

from __future__ import annotations

import json

from headwater.catalog.pipes import Pipe
from headwater.pipes.latency import latency_at
from headwater.result import Column, Result, Row, string_columns
from headwater.runtime.clock import now
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import ShowPipes
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.known_workspace import known_workspace
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = string_columns("pipe_name", "pipe_kind", "status", "copy_statement", "virtual_cluster")
FURTHER = (
    Column("schema_name", "string"),
    Column("invalid_reason", "string"),
    Column("last_batch_time", "timestamp"),
    Column("consecutive_failures", "bigint"),
    Column("failures_total", "bigint"),
    Column("files_failed", "bigint"),
    Column("pending_files", "bigint"),
    Column("pending_bytes", "bigint"),
    Column("oldest_pending_time", "timestamp"),
    Column("pipe_latency", "string"),
)


def show_pipes(context: Context, statement: ShowPipes) -> Result:
    """The pipes of a schema, or of a workspace."""
    if statement.workspace is not None:
        workspace, schema = known_workspace(context, statement.workspace), None
    else:
        workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.PIPE, workspace, schema)
    pipes = [
        pipe for pipe in context.store.pipes.list(workspace, schema) if sees(pipe.schema, pipe.name)
    ]
    if not statement.extended:
        return filtered(context, COLUMNS, map(_row, pipes), statement.filter, like_column=0)
    rows = [(*_row(pipe), *_further(context, pipe)) for pipe in pipes]
    return filtered(context, (*COLUMNS, *FURTHER), rows, statement.filter, like_column=0)


def _row(pipe: Pipe) -> Row:
    cluster = properties_of(pipe.properties).virtual_cluster
    return pipe.name, pipe.kind.value, pipe.status.value, pipe.body, cluster


def _further(context: Context, pipe: Pipe) -> Row:
    local, counters = context.session.local, pipe.counters
    return (
        pipe.schema,
        pipe.invalid_reason,
        local(pipe.last_batch_at),
        pipe.failures,
        counters.failures_total,
        counters.failed_files,
        counters.pending_files,
        counters.pending_bytes,
        local(counters.oldest_pending_at),
        latency_text(pipe),
    )


def latency_text(pipe: Pipe) -> str | None:
    """How far a pipe over Kafka is behind, as JSON."""
    return None if pipe.latency is None else json.dumps(latency_at(pipe.latency, now()))
