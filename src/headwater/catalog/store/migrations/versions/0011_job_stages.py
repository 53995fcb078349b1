"""The stages of Spark's work for a job.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011_job_stages"
down_revision = "0010_materialized_views"


def upgrade() -> None:
    """Adds them to the jobs; those of jobs that were recorded before stay unknown."""
    op.add_column("jobs", sa.Column("stages", sa.Text))
