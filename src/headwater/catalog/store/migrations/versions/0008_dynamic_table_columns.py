"""The columns that a dynamic table is to have, and how it was to be filled first.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008_dynamic_table_columns"
down_revision = "0007_schedules"


def upgrade() -> None:
    """Adds them to the definitions."""
    op.add_column("dynamic_tables", sa.Column("columns", sa.Text))
    op.add_column("dynamic_tables", sa.Column("initialize", sa.Text))
