"""Whether queries may be rewritten onto a materialized view.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010_materialized_views"
down_revision = "0009_partitions"


def upgrade() -> None:
    """Adds it to the definitions."""
    rewrite = sa.Column("query_rewrite", sa.Boolean, nullable=False, server_default=sa.true())
    op.add_column("dynamic_tables", rewrite)
