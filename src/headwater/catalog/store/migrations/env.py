"""Alembic's entry point: runs the migrations on the connection that `migrate.py` hands over.

Invariant: the caller's transaction and lock surround all of it, so a migration happens whole or
not at all.
"""

from __future__ import annotations

from alembic import context

from headwater.catalog.store.model import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
