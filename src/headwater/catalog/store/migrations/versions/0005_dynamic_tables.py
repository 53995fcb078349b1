"""Dynamic tables, what they read, and the history of their refreshes.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005_dynamic_tables"
down_revision = "0004_streams"


def upgrade() -> None:
    """Creates the tables for dynamic tables and refreshes."""
    _dynamic_tables()
    _refreshes()


def _dynamic_tables() -> None:
    table = sa.ForeignKey("tables.id", ondelete="CASCADE")
    op.create_table(
        "dynamic_tables",
        sa.Column("table_id", sa.Text, table, primary_key=True),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("query_workspace", sa.Text, nullable=False),
        sa.Column("query_schema", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("schedule", sa.Text),
        sa.Column("source_columns", sa.Text, nullable=False),
        sa.Column("frontier", sa.Text),
        sa.Column("refresh_number", sa.BigInteger, nullable=False),
        sa.Column("frontier_version", sa.BigInteger),
        sa.Column("suspended", sa.Boolean, nullable=False),
    )
    reader = sa.ForeignKey("dynamic_tables.table_id", ondelete="CASCADE")
    op.create_table(
        "dynamic_table_sources",
        sa.Column("dynamic_table_id", sa.Text, reader, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("source_id", sa.Text, nullable=False),
    )
    op.create_index("dynamic_table_sources_source", "dynamic_table_sources", ["source_id"])


def _refreshes() -> None:
    table = sa.ForeignKey("tables.id", ondelete="CASCADE")
    op.create_table(
        "refreshes",
        sa.Column("table_id", sa.Text, table, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("schema", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("virtual_cluster", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("suspended_reason", sa.Text),
        sa.Column("kind", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("error_message", sa.Text),
        sa.Column("source_tables", sa.Text, nullable=False),
        sa.Column("rows_inserted", sa.BigInteger),
        sa.Column("rows_deleted", sa.BigInteger),
        sa.Column("job_id", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_index("refreshes_started", "refreshes", ["started_at"])
