"""The catalog's tables for connections, volumes, directory tables and load history.

Invariant: a path compares by its bytes on every database, so that all of them sort alike.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Table, Text

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.model import WHERE, metadata

PathText = Text().with_variant(Text(collation="C"), "postgresql")

connections = Table(
    "connections",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("comment", LooseText),
    Column("settings", JsonText, nullable=False),
    Column("sealed", JsonText, nullable=False),
    Column("external_id", Text),
)
Index("connections_name", connections.c.workspace_id, connections.c.name, unique=True)

# A volume names its connection by text: a forced DROP leaves the volume without one, and a new
# connection of that name, with new keys perhaps, takes its place.
volumes = Table(
    "volumes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schema_id", ForeignKey("schemas.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("external", Boolean, nullable=False),
    Column("url", Text, nullable=False),
    Column("connection_name", Text),
    Column("directory_enabled", Boolean, nullable=False),
    Column("auto_refresh", Boolean, nullable=False),
    Column("recursive", Boolean, nullable=False),
    Column("notification", JsonText),
    Column("comment", LooseText),
    Column("properties", JsonText, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("refreshed_at", Instant),
    Column("directory_version", BigInteger, nullable=False, server_default="0"),
)
Index("volumes_name", volumes.c.schema_id, volumes.c.name, unique=True)
Index("volumes_connection", volumes.c.connection_name)

directory_files = Table(
    "directory_files",
    metadata,
    Column("volume_id", ForeignKey("volumes.id", ondelete="CASCADE"), primary_key=True),
    Column("relative_path", PathText, primary_key=True),
    Column("url", Text),
    Column("size", BigInteger, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("etag", Text),
    # The version of the directory table that brought the file as it is, and when; None before 0004.
    Column("version", BigInteger),
    Column("seen_at", Instant),
    # The key is most of the row, so SQLite keeps it once, in the order of the paths.
    sqlite_with_rowid=False,
)

load_history = Table(
    "load_history",
    metadata,
    Column("table_id", ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("path", PathText, primary_key=True),
    Column("job_id", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("modified_at", Instant),
    Column("etag", Text),
    Column("status", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("loaded_at", Instant, nullable=False),
    Column("rows", BigInteger),
    Column("first_error", LooseText),
    Column("delta_version", BigInteger),
    # Set from the intent on until the file is deleted, or found changed and left alone.
    Column("purge_requested_at", Instant),
    Column("connection_id", Text),
)
Index("load_history_status", load_history.c.status, load_history.c.job_id)
Index("load_history_loaded", load_history.c.loaded_at)
Index(
    "load_history_purge",
    load_history.c.job_id,
    load_history.c.path,
    info={WHERE: "purge_requested_at IS NOT NULL"},
)
