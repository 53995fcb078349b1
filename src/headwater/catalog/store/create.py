"""A new catalog, made from the model at once instead of by all migrations one after another.

Invariant: both ways give the same tables, columns, keys and indexes; a test compares them.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Index, MetaData, PrimaryKeyConstraint, String, Table
from sqlalchemy import insert as insert_into
from sqlalchemy.schema import CreateIndex, CreateTable

from headwater.catalog.store.model import WHERE, metadata

# As Alembic makes it, which looks here at the next migration.
_VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def create_catalog(connection: Connection, revision: str) -> None:
    """Create all tables and indexes in an empty database, and note their revision."""
    for table in (*metadata.sorted_tables, _VERSION):
        connection.execute(CreateTable(table))
        for index in sorted(table.indexes, key=lambda known: known.name or ""):
            connection.exec_driver_sql(_index_text(connection, index))
    connection.execute(insert_into(_VERSION), {"version_num": revision})


def _index_text(connection: Connection, index: Index) -> str:
    created = str(CreateIndex(index).compile(dialect=connection.dialect))
    condition = index.info.get(WHERE)
    return f"{created} WHERE {condition}" if condition else created
