"""DESC PIPE."""

from __future__ import annotations

import json

from headwater.catalog.pipes import Pipe, PipeKind
from headwater.pipes.find_pipe import find_pipe
from headwater.result import Result, Row, string_columns
from headwater.sql.pipe_properties import properties_of
from headwater.sql.pipes import DescPipe
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.show_pipes import latency_text

_WARNINGS = 10


def desc_pipe(context: Context, statement: DescPipe) -> Result:
    """What is known of a pipe; with EXTENDED also what it did and what waits for it."""
    span = context.span_of(statement.name, last=True)
    pipe = find_pipe(context.store, context.qualify(statement.name), span=span)
    local = context.session.local
    mode = properties_of(pipe.properties).ingest_mode
    rows = info_rows(
        name=pipe.name,
        creator=pipe.creator,
        created_time=local(pipe.created_at),
        last_modified_time=local(pipe.modified_at),
        comment=pipe.comment,
        properties=shown_properties(dict(pipe.properties)),
        copy_statement=pipe.body,
        pipe_kind=pipe.kind.value,
        ingest_mode=mode.value if mode is not None else None,
        pipe_status=pipe.status.value,
        output_name=pipe.output_name,
        input_name=pipe.input_name,
        invalid_reason=pipe.invalid_reason,
        pipe_latency=latency_text(pipe),
    )
    if statement.extended:
        rows += _metrics(context, pipe)
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _metrics(context: Context, pipe: Pipe) -> list[Row]:
    local, counters = context.session.local, pipe.counters
    rows = info_rows(
        batches=pipe.batch,
        last_batch_time=local(pipe.last_batch_at),
        rows_loaded=counters.rows,
        consecutive_failures=pipe.failures,
        next_try_time=local(pipe.not_before),
        failures_total=counters.failures_total,
        last_error=pipe.last_error,
        warnings=_warnings(context, pipe),
    )
    if pipe.kind is PipeKind.KAFKA:
        offsets = None if pipe.offsets is None else json.dumps(pipe.offsets)
        return rows + info_rows(offsets=offsets, last_message_time=local(pipe.last_message_at))
    return rows + info_rows(
        files_loaded=counters.files,
        bytes_loaded=counters.bytes,
        files_failed=counters.failed_files,
        files_skipped=counters.skipped_files,
        malformed_messages=counters.malformed_messages,
        pending_files=counters.pending_files,
        pending_bytes=counters.pending_bytes,
        oldest_pending_time=local(counters.oldest_pending_at),
    )


def _warnings(context: Context, pipe: Pipe) -> str | None:
    """Why messages were lost or laid aside, newest first."""
    aside = context.store.pipe_batches.aside(pipe.id, limit=_WARNINGS)
    return "\n".join(message.reason for message in aside) or None
