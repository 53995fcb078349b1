"""The catalog's table of virtual clusters.

Invariant: pipes, dynamic tables and jobs only name their cluster; a name is unique in a workspace.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, Text

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.model import metadata

vclusters = Table(
    "vclusters",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
    Column("active_at", Instant, nullable=False),
    Column("properties", JsonText, nullable=False),
    Column("comment", LooseText),
    Column("suspended", Boolean, nullable=False),
)
Index("vclusters_name", vclusters.c.workspace_id, vclusters.c.name, unique=True)
