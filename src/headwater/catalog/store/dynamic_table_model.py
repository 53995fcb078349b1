"""The catalog's tables for dynamic tables and their refreshes.

Invariant: a dynamic table has a row in `tables` too, of the kind DYNAMIC or
MATERIALIZED_VIEW, with its place, columns and versions; its row here is made with the intent to
create it and goes when it is purged.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    text,
    true,
)

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.model import metadata

dynamic_tables = Table(
    "dynamic_tables",
    metadata,
    Column("table_id", ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("query", LooseText, nullable=False),
    Column("query_workspace", Text, nullable=False),
    Column("query_schema", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("schedule", JsonText),
    Column("source_columns", JsonText, nullable=False),
    Column("frontier", JsonText),
    Column("refresh_number", BigInteger, nullable=False),
    # The Delta version of its own log that the frontier speaks of.
    Column("frontier_version", BigInteger),
    Column("suspended", Boolean, nullable=False),
    Column("baseline", Instant),
    # The time of the frontier once more: a tick of the schedule must not read all frontiers.
    Column("refreshed_at", Instant),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("not_before", Instant),
    Column("took_seconds", Float, nullable=False, server_default=text("0")),
    Column("suspended_reason", LooseText),
    Column("columns", JsonText),
    Column("initialize", Text),
    Column("immutable_where", LooseText),
    Column("query_rewrite", Boolean, nullable=False, server_default=true()),
)

# A table that is refreshed by partition has a frontier for each, and none of its own.
dynamic_table_partitions = Table(
    "dynamic_table_partitions",
    metadata,
    Column(
        "dynamic_table_id",
        ForeignKey("dynamic_tables.table_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("partition", Text, primary_key=True),
    Column("frontier", JsonText, nullable=False),
    Column("refresh_number", BigInteger, nullable=False),
    Column("frontier_version", BigInteger, nullable=False),
)

# Sources are only named: a table may be dropped although a dynamic table reads it.
dynamic_table_sources = Table(
    "dynamic_table_sources",
    metadata,
    Column(
        "dynamic_table_id",
        ForeignKey("dynamic_tables.table_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("source_id", Text, nullable=False),
)
Index("dynamic_table_sources_source", dynamic_table_sources.c.source_id)

# Names are those of the time of the refresh: history outlives what it speaks of.
refreshes = Table(
    "refreshes",
    metadata,
    Column("table_id", ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("workspace", Text, nullable=False),
    Column("schema", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("virtual_cluster", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("state", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("suspended_reason", LooseText),
    Column("kind", Text),
    Column("reason", LooseText),
    Column("error_message", LooseText),
    Column("source_tables", JsonText, nullable=False),
    Column("rows_inserted", BigInteger),
    Column("rows_deleted", BigInteger),
    Column("job_id", Text, nullable=False),
    Column("detail", JsonText, nullable=False),
)
Index("refreshes_started", refreshes.c.started_at)
