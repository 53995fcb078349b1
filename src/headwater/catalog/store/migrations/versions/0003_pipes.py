"""Pipes, their batches, and the messages they laid aside.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_pipes"
down_revision = "0002_volumes"


def upgrade() -> None:
    """Creates the tables for pipes."""
    _pipes()
    _batches()
    _messages()


def _pipes() -> None:
    op.create_table(
        "pipes",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schema_id", sa.Text, sa.ForeignKey("schemas.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("sealed_body", sa.Text),
        sa.Column("body_schema", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("properties", sa.Text, nullable=False),
        sa.Column("input_name", sa.Text, nullable=False),
        sa.Column("output_name", sa.Text, nullable=False),
        sa.Column("target_id", sa.Text, nullable=False),
        sa.Column("volume_id", sa.Text),
        sa.Column("kafka_group", sa.Text),
        sa.Column("invalid_reason", sa.Text),
        sa.Column("failures", sa.BigInteger, nullable=False),
        sa.Column("not_before", sa.BigInteger),
        sa.Column("batch", sa.BigInteger, nullable=False),
        sa.Column("offsets", sa.Text),
        sa.Column("last_batch_at", sa.BigInteger),
        sa.Column("last_message_at", sa.BigInteger),
        sa.Column("refresh_requested_at", sa.BigInteger),
        sa.Column("latency", sa.Text),
        sa.Column("counters", sa.Text, nullable=False),
    )
    op.create_index("pipes_name", "pipes", ["schema_id", "name"], unique=True)
    op.create_index("pipes_volume", "pipes", ["volume_id"], unique=True)
    op.create_index("pipes_kafka_group", "pipes", ["kafka_group"], unique=True)
    op.create_index("pipes_target", "pipes", ["target_id"])


def _batches() -> None:
    op.create_table(
        "pipe_batches",
        sa.Column("pipe_id", sa.Text, _pipe(), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("job_id", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("begun_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("rows", sa.BigInteger),
        sa.Column("error", sa.Text),
    )
    op.create_index("pipe_batches_ended", "pipe_batches", ["ended_at"])
    under_way = sa.text("state = 'INTENT'")
    op.create_index(
        "pipe_batches_intent",
        "pipe_batches",
        ["pipe_id"],
        unique=True,
        sqlite_where=under_way,
        postgresql_where=under_way,
    )


def _messages() -> None:
    op.create_table(
        "pipe_messages",
        sa.Column("pipe_id", sa.Text, _pipe(), primary_key=True),
        sa.Column("message_id", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("pipe_messages_at", "pipe_messages", ["at"])


def _pipe() -> sa.ForeignKey:
    return sa.ForeignKey("pipes.id", ondelete="CASCADE")
