"""Tasks with their versions and instances, alerts with their events.

Invariant: a migration is written once; it spells out its tables because `task_model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013_tasks"
down_revision = "0012_access"


def upgrade() -> None:
    """Creates the tables."""
    _tasks()
    _instances()
    _alerts()


def _tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("draft", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("version", sa.Integer),
        sa.Column("online_since", sa.BigInteger),
        sa.Column("generated_to", sa.BigInteger),
    )
    op.create_index("tasks_name", "tasks", ["workspace_id", "folder", "name"], unique=True)
    op.create_table(
        "task_versions",
        sa.Column("task_id", sa.Text, _of("tasks"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("submitted_at", sa.BigInteger, nullable=False),
        sa.Column("submitted_by", sa.Text, nullable=False),
    )


def _instances() -> None:
    op.create_table(
        "task_instances",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Text, _of("tasks"), nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("plan_at", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("waiting_since", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("version", sa.Integer),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("retries_left", sa.Integer, nullable=False),
        sa.Column("not_before", sa.BigInteger),
        sa.Column("fencing", sa.BigInteger),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("error", sa.Text),
        sa.Column("timed_out", sa.Boolean, nullable=False),
        sa.Column("job_ids", sa.Text, nullable=False),
        sa.Column("log", sa.Text, nullable=False),
    )
    plan = ["task_id", "run", "plan_at"]
    op.create_index("task_instances_plan", "task_instances", plan, unique=True)
    op.create_index("task_instances_state", "task_instances", ["state"])
    op.create_index("task_instances_ended", "task_instances", ["ended_at"])


def _alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("target", sa.Text),
        sa.Column("seconds", sa.BigInteger),
        sa.Column("comment", sa.Text),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
    )
    op.create_index("alerts_name", "alerts", ["workspace_id", "name"], unique=True)
    op.create_table(
        "alert_events",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("alert_id", sa.Text, _of("alerts"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("fired_at", sa.BigInteger, nullable=False),
        sa.Column("resolved_at", sa.BigInteger),
        sa.Column("told_fired_at", sa.BigInteger),
        sa.Column("told_resolved_at", sa.BigInteger),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("not_before", sa.BigInteger),
        sa.Column("problem", sa.Text),
        sa.Column("pending", sa.Text),
    )
    op.create_index("alert_events_alert", "alert_events", ["alert_id", "key"])


def _of(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
