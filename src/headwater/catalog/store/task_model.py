"""The catalog's tables of tasks, their versions and instances, and of alerts and their events.

Invariant: of a task, a run and a plan time there is one instance at most.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.model import metadata

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("folder", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("draft", JsonText, nullable=False),
    Column("state", Text, nullable=False),
    Column("version", Integer),
    Column("online_since", Instant),
    Column("generated_to", Instant),
)
Index("tasks_name", tasks.c.workspace_id, tasks.c.folder, tasks.c.name, unique=True)

task_versions = Table(
    "task_versions",
    metadata,
    Column("task_id", ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("definition", JsonText, nullable=False),
    Column("submitted_at", Instant, nullable=False),
    Column("submitted_by", Text, nullable=False),
)

task_instances = Table(
    "task_instances",
    metadata,
    Column("id", Text, primary_key=True),
    Column("task_id", ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
    Column("run", Text, nullable=False),
    Column("plan_at", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("waiting_since", Instant, nullable=False),
    Column("state", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("version", Integer),
    Column("attempt", Integer, nullable=False),
    Column("retries_left", Integer, nullable=False),
    Column("not_before", Instant),
    Column("fencing", BigInteger),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Column("error", LooseText),
    Column("timed_out", Boolean, nullable=False),
    Column("job_ids", JsonText, nullable=False),
    Column("log", LooseText, nullable=False),
)
Index(
    "task_instances_plan",
    task_instances.c.task_id,
    task_instances.c.run,
    task_instances.c.plan_at,
    unique=True,
)
Index("task_instances_state", task_instances.c.state)
Index("task_instances_ended", task_instances.c.ended_at)

alerts = Table(
    "alerts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("target", JsonText),
    Column("seconds", BigInteger),
    Column("comment", LooseText),
    Column("shown", JsonText, nullable=False),
    Column("sealed", Text, nullable=False),
)
Index("alerts_name", alerts.c.workspace_id, alerts.c.name, unique=True)

alert_events = Table(
    "alert_events",
    metadata,
    Column("id", Text, primary_key=True),
    Column("alert_id", ForeignKey("alerts.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("message", LooseText, nullable=False),
    Column("fired_at", Instant, nullable=False),
    Column("resolved_at", Instant),
    Column("told_fired_at", Instant),
    Column("told_resolved_at", Instant),
    Column("tries", Integer, nullable=False),
    Column("not_before", Instant),
    Column("problem", LooseText),
    Column("pending", JsonText),
)
Index("alert_events_alert", alert_events.c.alert_id, alert_events.c.key)
