"""Connections, volumes with their directory tables, and load history.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002_volumes"
down_revision = "0001_foundation"


def upgrade() -> None:
    """Creates the tables for files."""
    _connections()
    _volumes()
    _directory_files()
    _load_history()


def _connections() -> None:
    op.create_table(
        "connections",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("external_id", sa.Text),
    )
    op.create_index("connections_name", "connections", ["workspace_id", "name"], unique=True)


def _volumes() -> None:
    op.create_table(
        "volumes",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schema_id", sa.Text, sa.ForeignKey("schemas.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("external", sa.Boolean, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("connection_name", sa.Text),
        sa.Column("directory_enabled", sa.Boolean, nullable=False),
        sa.Column("auto_refresh", sa.Boolean, nullable=False),
        sa.Column("recursive", sa.Boolean, nullable=False),
        sa.Column("notification", sa.Text),
        sa.Column("comment", sa.Text),
        sa.Column("properties", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("refreshed_at", sa.BigInteger),
    )
    op.create_index("volumes_name", "volumes", ["schema_id", "name"], unique=True)
    op.create_index("volumes_connection", "volumes", ["connection_name"])


def _directory_files() -> None:
    volume = sa.ForeignKey("volumes.id", ondelete="CASCADE")
    op.create_table(
        "directory_files",
        sa.Column("volume_id", sa.Text, volume, primary_key=True),
        sa.Column("relative_path", _path(), primary_key=True),
        sa.Column("url", sa.Text),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("etag", sa.Text),
        sqlite_with_rowid=False,
    )


def _load_history() -> None:
    table = sa.ForeignKey("tables.id", ondelete="CASCADE")
    op.create_table(
        "load_history",
        sa.Column("table_id", sa.Text, table, primary_key=True),
        sa.Column("path", _path(), primary_key=True),
        sa.Column("job_id", sa.Text, primary_key=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger),
        sa.Column("etag", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("loaded_at", sa.BigInteger, nullable=False),
        sa.Column("rows", sa.BigInteger),
        sa.Column("first_error", sa.Text),
        sa.Column("delta_version", sa.BigInteger),
        sa.Column("purge_requested_at", sa.BigInteger),
        sa.Column("connection_id", sa.Text),
    )
    op.create_index("load_history_status", "load_history", ["status", "job_id"])
    op.create_index("load_history_loaded", "load_history", ["loaded_at"])
    wanted = sa.text("purge_requested_at IS NOT NULL")
    op.create_index(
        "load_history_purge",
        "load_history",
        ["job_id", "path"],
        sqlite_where=wanted,
        postgresql_where=wanted,
    )


def _path() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
