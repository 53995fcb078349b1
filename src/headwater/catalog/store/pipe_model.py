"""The catalog's tables for pipes, their batches, and the messages they laid aside.

Invariant: a pipe only names the table and the volume it uses, so that both may be dropped; the pipe
finds out and becomes INVALID. What a pipe did goes together with it.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.model import WHERE, metadata

pipes = Table(
    "pipes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schema_id", ForeignKey("schemas.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("body", LooseText, nullable=False),
    Column("sealed_body", Text),
    Column("body_schema", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("comment", LooseText),
    Column("properties", JsonText, nullable=False),
    Column("input_name", LooseText, nullable=False),
    Column("output_name", LooseText, nullable=False),
    Column("target_id", Text, nullable=False),
    Column("volume_id", Text),
    Column("kafka_group", LooseText),
    Column("invalid_reason", LooseText),
    Column("failures", BigInteger, nullable=False),
    Column("not_before", Instant),
    Column("batch", BigInteger, nullable=False),
    Column("offsets", JsonText),
    Column("last_batch_at", Instant),
    Column("last_message_at", Instant),
    Column("refresh_requested_at", Instant),
    Column("latency", JsonText),
    Column("counters", JsonText, nullable=False),
    Column("last_error", LooseText),
)
Index("pipes_name", pipes.c.schema_id, pipes.c.name, unique=True)
Index("pipes_volume", pipes.c.volume_id, unique=True)
Index("pipes_kafka_group", pipes.c.kafka_group, unique=True)
Index("pipes_target", pipes.c.target_id)

pipe_batches = Table(
    "pipe_batches",
    metadata,
    Column("pipe_id", ForeignKey("pipes.id", ondelete="CASCADE"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("job_id", Text),
    Column("state", Text, nullable=False),
    Column("begun_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("payload", JsonText, nullable=False),
    Column("rows", BigInteger),
    Column("error", LooseText),
)
Index("pipe_batches_ended", pipe_batches.c.ended_at)
Index(
    "pipe_batches_intent",
    pipe_batches.c.pipe_id,
    unique=True,
    info={WHERE: "state = 'INTENT'"},
)

pipe_messages = Table(
    "pipe_messages",
    metadata,
    Column("pipe_id", ForeignKey("pipes.id", ondelete="CASCADE"), primary_key=True),
    Column("message_id", LooseText, primary_key=True),
    Column("body", LooseText, nullable=False),
    Column("reason", LooseText, nullable=False),
    Column("at", Instant, nullable=False),
)
Index("pipe_messages_at", pipe_messages.c.at)
