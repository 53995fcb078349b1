"""Frontiers of partitions of dynamic tables, and the rows of one that no refresh changes.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009_partitions"
down_revision = "0008_dynamic_table_columns"


def upgrade() -> None:
    """Creates the table of frontiers of partitions; adds the predicate of rows that stay."""
    owner = sa.ForeignKey("dynamic_tables.table_id", ondelete="CASCADE")
    op.create_table(
        "dynamic_table_partitions",
        sa.Column("dynamic_table_id", sa.Text, owner, primary_key=True),
        sa.Column("partition", sa.Text, primary_key=True),
        sa.Column("frontier", sa.Text, nullable=False),
        sa.Column("refresh_number", sa.BigInteger, nullable=False),
        sa.Column("frontier_version", sa.BigInteger, nullable=False),
    )
    op.add_column("dynamic_tables", sa.Column("immutable_where", sa.Text))
