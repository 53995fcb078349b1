"""Virtual clusters: those of every workspace, and one for every name that is in use.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006_vclusters"
down_revision = "0005_dynamic_tables"

_BUILT_IN = {"DEFAULT": "GENERAL", "DEFAULT_AP": "ANALYTICS"}


def upgrade() -> None:
    """Creates the table, and clusters for what ran before there were any."""
    op.create_table(
        "vclusters",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.BigInteger, nullable=False),
        sa.Column("active_at", sa.BigInteger, nullable=False),
        sa.Column("properties", sa.Text, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("suspended", sa.Boolean, nullable=False),
    )
    op.create_index("vclusters_name", "vclusters", ["workspace_id", "name"], unique=True)
    connection = op.get_bind()
    rows = [
        _row(workspace, name, _BUILT_IN.get(name, "GENERAL"))
        for workspace in connection.execute(sa.text("SELECT id FROM workspaces")).scalars()
        for name in sorted(_BUILT_IN.keys() | _names(connection, workspace))
    ]
    if rows:
        op.bulk_insert(_table(), rows)


def _names(connection: Any, workspace: str) -> set[str]:
    """What pipes and dynamic tables call their clusters."""
    pipes = sa.text(
        "SELECT p.properties FROM pipes p JOIN schemas s ON s.id = p.schema_id"
        " WHERE s.workspace_id = :workspace"
    )
    schedules = sa.text(
        "SELECT d.schedule FROM dynamic_tables d JOIN tables t ON t.id = d.table_id"
        " JOIN schemas s ON s.id = t.schema_id"
        " WHERE s.workspace_id = :workspace AND d.schedule IS NOT NULL"
    )
    given = {"workspace": workspace}
    found: list[Any] = []
    for properties in connection.execute(pipes, given).scalars():
        found += [value for key, value in json.loads(properties) if key == "VIRTUAL_CLUSTER"]
    for schedule in connection.execute(schedules, given).scalars():
        found.append((json.loads(schedule) or {}).get("vcluster"))
    return {str(name).upper() for name in found if name}


def _row(workspace: str, name: str, kind: str) -> dict[str, Any]:
    at = int(time.time() * 1_000_000)
    return {
        "id": uuid.uuid4().hex,
        "workspace_id": workspace,
        "name": name,
        "creator": "system",
        "created_at": at,
        "modified_at": at,
        "active_at": at,
        "properties": json.dumps([["VCLUSTER_TYPE", kind]], separators=(",", ":")),
        "suspended": False,
    }


def _table() -> sa.TableClause:
    return sa.table(
        "vclusters",
        sa.column("id", sa.Text),
        sa.column("workspace_id", sa.Text),
        sa.column("name", sa.Text),
        sa.column("creator", sa.Text),
        sa.column("created_at", sa.BigInteger),
        sa.column("modified_at", sa.BigInteger),
        sa.column("active_at", sa.BigInteger),
        sa.column("properties", sa.Text),
        sa.column("suspended", sa.Boolean),
    )
