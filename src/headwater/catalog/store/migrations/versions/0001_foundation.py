"""The first catalog: lake, workspaces, schemas, tables and their versions, jobs, settings, lease.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001_foundation"
down_revision = None


def upgrade() -> None:
    """Creates every table of the foundation."""
    _lake()
    _names()
    _tables()
    _versions()
    _jobs()
    _processes()


def _lake() -> None:
    op.create_table(
        "lake",
        sa.Column("lake_id", sa.Text, primary_key=True),
        sa.Column("format_version", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _names() -> None:
    op.create_table(
        "workspaces",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "schemas",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("properties", sa.Text, nullable=False),
        sa.Column("dropped_at", sa.BigInteger),
    )
    _unique_where("schemas", ["workspace_id", "name"], "dropped_at IS NULL")


def _tables() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schema_id", sa.Text, sa.ForeignKey("schemas.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("managed", sa.Boolean, nullable=False),
        sa.Column("delta_version", sa.BigInteger, nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
        sa.Column("partition_columns", sa.Text, nullable=False),
        sa.Column("cluster_columns", sa.Text, nullable=False),
        sa.Column("properties", sa.Text, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("total_rows", sa.BigInteger),
        sa.Column("total_bytes", sa.BigInteger),
        sa.Column("view_text", sa.Text),
        sa.Column("view_schema", sa.Text),
        sa.Column("dropped_at", sa.BigInteger),
        sa.Column("created_by_job", sa.Text),
    )
    _unique_where("tables", ["schema_id", "name"], "state IN ('ACTIVE', 'CREATING')")
    op.create_index("tables_schema", "tables", ["schema_id", "state"])


def _versions() -> None:
    table = sa.ForeignKey("tables.id", ondelete="CASCADE")
    op.create_table(
        "table_versions",
        sa.Column("table_id", sa.Text, table, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("delta_version", sa.BigInteger, nullable=False),
        sa.Column("committed_at", sa.BigInteger, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("job_id", sa.Text),
        sa.Column("total_rows", sa.BigInteger),
        sa.Column("total_bytes", sa.BigInteger),
        sa.Column("rows_inserted", sa.BigInteger),
        sa.Column("rows_updated", sa.BigInteger),
        sa.Column("rows_deleted", sa.BigInteger),
    )
    op.create_index("table_versions_committed", "table_versions", ["table_id", "committed_at"])
    op.create_index("table_versions_job", "table_versions", ["job_id"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("schema", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("instance", sa.Text, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("query_tag", sa.Text, nullable=False),
        sa.Column("vcluster", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("rows_produced", sa.BigInteger),
        sa.Column("rows_inserted", sa.BigInteger),
        sa.Column("rows_updated", sa.BigInteger),
        sa.Column("rows_deleted", sa.BigInteger),
        sa.Column("input_rows", sa.BigInteger),
        sa.Column("input_bytes", sa.BigInteger),
        sa.Column("output_bytes", sa.BigInteger),
        sa.Column("input_tables", sa.Text, nullable=False),
        sa.Column("output_tables", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("cancel_requested_at", sa.BigInteger),
    )
    op.create_index("jobs_started", "jobs", ["started_at"])
    op.create_index("jobs_state", "jobs", ["state"])
    op.create_index("jobs_query_tag", "jobs", ["query_tag"])


def _processes() -> None:
    op.create_table(
        "instances",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("process_started", sa.Text, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("heartbeat_at", sa.BigInteger, nullable=False),
    )
    holder = sa.ForeignKey("instances.id", ondelete="SET NULL")
    op.create_table(
        "lease",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, holder),
        sa.Column("fencing", sa.BigInteger, nullable=False),
        sa.Column("acquired_at", sa.BigInteger),
        sa.Column("expires_at", sa.BigInteger),
    )


def _unique_where(table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(
        f"{table}_live_name",
        table,
        columns,
        unique=True,
        sqlite_where=where,
        postgresql_where=where,
    )
