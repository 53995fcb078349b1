"""Users, their tokens, what is granted to whom, and the audit.

Invariant: a migration is written once; it spells out its tables because `model.py` moves on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012_access"
down_revision = "0011_job_stages"


def upgrade() -> None:
    """Creates the tables; a lake has no users until somebody makes one."""
    op.create_table(
        "users",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("dropped_at", sa.BigInteger),
    )
    live = sa.text("dropped_at IS NULL")
    op.create_index(
        "users_live_name", "users", ["name"], unique=True, sqlite_where=live, postgresql_where=live
    )
    op.create_table(
        "user_tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.Text, nullable=False),
        sa.Column("cap", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
    )
    kept = sa.text("revoked_at IS NULL")
    op.create_index(
        "user_tokens_live_name",
        "user_tokens",
        ["user_id", "name"],
        unique=True,
        sqlite_where=kept,
        postgresql_where=kept,
    )
    op.create_table(
        "grants",
        sa.Column("grantee_kind", sa.Text, primary_key=True),
        sa.Column("grantee", sa.Text, primary_key=True),
        sa.Column("privilege", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("object_id", sa.Text, primary_key=True),
        sa.Column("schema_id", sa.Text),
        sa.Column("grantor", sa.Text, nullable=False),
        sa.Column("granted_at", sa.BigInteger, nullable=False),
        sa.Column("with_option", sa.Boolean, nullable=False),
    )
    op.create_index("grants_object", "grants", ["object_id"])
    op.create_table(
        "audit",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("object", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("job_id", sa.Text),
        sa.Column("ok", sa.Boolean, nullable=False),
        sa.Column("address", sa.Text),
    )
    op.create_index("audit_at", "audit", ["at"])
