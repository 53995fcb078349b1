"""What the schedule knows of a dynamic table: its baseline, its failures, why it stands still.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0007_schedules"
down_revision = "0006_vclusters"


def upgrade() -> None:
    """Adds the columns; tables that are there count from when they were made."""
    zero = sa.text("0")
    for column in (
        sa.Column("baseline", sa.BigInteger),
        sa.Column("refreshed_at", sa.BigInteger),
        sa.Column("failures", sa.Integer, nullable=False, server_default=zero),
        sa.Column("not_before", sa.BigInteger),
        sa.Column("took_seconds", sa.Float, nullable=False, server_default=zero),
        sa.Column("suspended_reason", sa.Text),
    ):
        op.add_column("dynamic_tables", column)
    op.execute(
        "UPDATE dynamic_tables SET baseline ="
        " (SELECT created_at FROM tables WHERE tables.id = dynamic_tables.table_id)"
    )
    _copy_times()


def _copy_times() -> None:
    connection = op.get_bind()
    table = sa.table(
        "dynamic_tables",
        sa.column("table_id", sa.Text),
        sa.column("frontier", sa.Text),
        sa.column("refreshed_at", sa.BigInteger),
    )
    reached = sa.select(table.c.table_id, table.c.frontier).where(table.c.frontier.is_not(None))
    for table_id, frontier in connection.execute(reached).all():
        since = datetime.fromisoformat(json.loads(frontier)["at"])
        at = (since - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        own = sa.update(table).where(table.c.table_id == table_id)
        connection.execute(own.values(refreshed_at=at))
