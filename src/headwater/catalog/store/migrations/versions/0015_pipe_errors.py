"""Why a pipe failed that will try again.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015_pipe_errors"
down_revision = "0014_service_address"


def upgrade() -> None:
    """Adds it to the pipes."""
    op.add_column("pipes", sa.Column("last_error", sa.Text))
