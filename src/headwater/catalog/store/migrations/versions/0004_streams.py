"""Streams, versions of directory tables with their changes, and functions.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_streams"
down_revision = "0003_pipes"


def upgrade() -> None:
    """Creates the tables for streams and functions; directory tables begin at version 0."""
    _streams()
    _directories()
    _functions()


def _streams() -> None:
    table = sa.ForeignKey("tables.id", ondelete="CASCADE")
    op.create_table(
        "streams",
        sa.Column("table_id", sa.Text, table, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("source_id", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("show_initial_rows", sa.Boolean, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("consumed_at", sa.BigInteger),
        sa.Column("claimed_by", sa.Text),
    )
    op.create_index("streams_source", "streams", ["source_id"])


def _directories() -> None:
    zero = sa.Column("directory_version", sa.BigInteger, nullable=False, server_default="0")
    op.add_column("volumes", zero)
    op.add_column("directory_files", sa.Column("version", sa.BigInteger))
    op.add_column("directory_files", sa.Column("seen_at", sa.BigInteger))
    volume = sa.ForeignKey("volumes.id", ondelete="CASCADE")
    op.create_table(
        "directory_changes",
        sa.Column("volume_id", sa.Text, volume, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("relative_path", _path(), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
    )
    volume = sa.ForeignKey("volumes.id", ondelete="CASCADE")
    op.create_table(
        "volume_messages",
        sa.Column("volume_id", sa.Text, volume, primary_key=True),
        sa.Column("message_id", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )


def _functions() -> None:
    op.create_table(
        "functions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schema_id", sa.Text, sa.ForeignKey("schemas.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("returns", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("deterministic", sa.Boolean, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
    )
    op.create_index("functions_name", "functions", ["schema_id", "name"], unique=True)


def _path() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
