"""Where a process listens that is a service.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014_service_address"
down_revision = "0013_tasks"


def upgrade() -> None:
    """Adds it to the processes."""
    op.add_column("instances", sa.Column("service_url", sa.Text))
