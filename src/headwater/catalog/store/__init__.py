"""The catalog's database: the only package that imports sqlalchemy, alembic or psycopg."""

from __future__ import annotations

from headwater.catalog.store.store import Store

__all__ = ["Store"]
