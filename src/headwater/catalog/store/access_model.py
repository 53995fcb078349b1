"""The catalog's tables of users, tokens, grants and the audit.

Invariant: a user's name is unique among those that were not dropped, a token's among those of its
user that were not revoked; the audit names everything by text, because it outlives what it names.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, Text

from headwater.catalog.store.column_types import Instant, LooseText
from headwater.catalog.store.model import WHERE, metadata

users = Table(
    "users",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("comment", LooseText),
    Column("created_at", Instant, nullable=False),
    Column("dropped_at", Instant),
)
Index("users_live_name", users.c.name, unique=True, info={WHERE: "dropped_at IS NULL"})

user_tokens = Table(
    "user_tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("secret_hash", Text, nullable=False),
    Column("cap", Text),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
)
Index(
    "user_tokens_live_name",
    user_tokens.c.user_id,
    user_tokens.c.name,
    unique=True,
    info={WHERE: "revoked_at IS NULL"},
)

grants = Table(
    "grants",
    metadata,
    Column("grantee_kind", Text, primary_key=True),
    Column("grantee", Text, primary_key=True),
    Column("privilege", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("object_id", Text, primary_key=True),
    Column("schema_id", Text),
    Column("grantor", Text, nullable=False),
    Column("granted_at", Instant, nullable=False),
    Column("with_option", Boolean, nullable=False),
)
Index("grants_object", grants.c.object_id)

audit = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("user_name", LooseText, nullable=False),
    Column("kind", Text, nullable=False),
    Column("object", LooseText, nullable=False),
    Column("text", LooseText, nullable=False),
    Column("job_id", Text),
    Column("ok", Boolean, nullable=False),
    Column("address", LooseText),
)
Index("audit_at", audit.c.at)
