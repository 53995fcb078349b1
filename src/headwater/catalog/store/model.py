"""The catalog's tables as SQLAlchemy sees them; `create.py` makes them, `migrations/` the same.

Invariant: among the objects that are not dropped a name is unique, by partial index, so that two
processes can never both create it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

from headwater.catalog.store.column_types import Instant, JsonText, LooseText

metadata = MetaData()

# The condition of a partial index is only noted here, because saying `postgresql_where` imports
# that whole dialect, for a lake on SQLite too; `create.py` and the migrations say it.
WHERE = "where"

lake = Table(
    "lake",
    metadata,
    Column("lake_id", Text, primary_key=True),
    Column("format_version", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
)

workspaces = Table(
    "workspaces",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", Instant, nullable=False),
)

schemas = Table(
    "schemas",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("comment", LooseText),
    Column("properties", JsonText, nullable=False),
    Column("dropped_at", Instant),
)
Index(
    "schemas_live_name",
    schemas.c.workspace_id,
    schemas.c.name,
    unique=True,
    info={WHERE: "dropped_at IS NULL"},
)

tables = Table(
    "tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schema_id", ForeignKey("schemas.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("location", Text, nullable=False),
    Column("managed", Boolean, nullable=False),
    Column("delta_version", BigInteger, nullable=False),
    Column("columns", JsonText, nullable=False),
    Column("partition_columns", JsonText, nullable=False),
    Column("cluster_columns", JsonText, nullable=False),
    Column("properties", JsonText, nullable=False),
    Column("comment", LooseText),
    Column("total_rows", BigInteger),
    Column("total_bytes", BigInteger),
    Column("view_text", LooseText),
    Column("view_schema", Text),
    Column("dropped_at", Instant),
    Column("created_by_job", Text),
)
Index(
    "tables_live_name",
    tables.c.schema_id,
    tables.c.name,
    unique=True,
    info={WHERE: "state IN ('ACTIVE', 'CREATING')"},
)
Index("tables_schema", tables.c.schema_id, tables.c.state)

table_versions = Table(
    "table_versions",
    metadata,
    Column("table_id", ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("delta_version", BigInteger, nullable=False),
    Column("committed_at", Instant, nullable=False),
    Column("operation", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("job_id", Text),
    Column("total_rows", BigInteger),
    Column("total_bytes", BigInteger),
    Column("rows_inserted", BigInteger),
    Column("rows_updated", BigInteger),
    Column("rows_deleted", BigInteger),
)
Index("table_versions_committed", table_versions.c.table_id, table_versions.c.committed_at)
Index("table_versions_job", table_versions.c.job_id)

# Jobs name their workspace, schema and process by text: history outlives what it speaks of.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("schema", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("text", LooseText, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("instance", Text, nullable=False),
    Column("ended_at", Instant),
    Column("kind", Text, nullable=False),
    Column("query_tag", LooseText, nullable=False),
    Column("vcluster", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("rows_produced", BigInteger),
    Column("rows_inserted", BigInteger),
    Column("rows_updated", BigInteger),
    Column("rows_deleted", BigInteger),
    Column("input_rows", BigInteger),
    Column("input_bytes", BigInteger),
    Column("output_bytes", BigInteger),
    Column("input_tables", JsonText, nullable=False),
    Column("output_tables", JsonText, nullable=False),
    Column("settings", JsonText, nullable=False),
    Column("error", LooseText),
    Column("cancel_requested_at", Instant),
    Column("stages", JsonText),
)
Index("jobs_started", jobs.c.started_at)
Index("jobs_state", jobs.c.state)
Index("jobs_query_tag", jobs.c.query_tag)

settings = Table(
    "settings",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", LooseText, nullable=False),
)

instances = Table(
    "instances",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("process_started", Text, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("heartbeat_at", Instant, nullable=False),
    Column("service_url", Text),
)

# A lease whose holder's process is forgotten has no holder, but keeps its fencing number.
lease = Table(
    "lease",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", ForeignKey("instances.id", ondelete="SET NULL")),
    Column("fencing", BigInteger, nullable=False),
    Column("acquired_at", Instant),
    Column("expires_at", Instant),
)
