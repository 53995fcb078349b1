"""The catalog's tables for streams, for what happens to directory tables, and for functions.

Invariant: a stream has a row in `tables` too, of the kind STREAM, because its name stands where a
table's may stand; both rows come and go together. A stream only names what it watches.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Table, Text

from headwater.catalog.store.column_types import Instant, JsonText, LooseText
from headwater.catalog.store.file_model import PathText
from headwater.catalog.store.model import metadata

streams = Table(
    "streams",
    metadata,
    Column("table_id", ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("source", Text, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("show_initial_rows", Boolean, nullable=False),
    Column("position", JsonText, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("consumed_at", Instant),
    # The job that reads it to consume it; of no meaning once that job is finished.
    Column("claimed_by", Text),
)
Index("streams_source", streams.c.source_id)

# One row for each file that a new version of a volume's directory table brought, changed or lost;
# `before` and `after` are the file's row then, as JSON. Kept while a stream watches the volume.
directory_changes = Table(
    "directory_changes",
    metadata,
    Column("volume_id", ForeignKey("volumes.id", ondelete="CASCADE"), primary_key=True),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("relative_path", PathText, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("before", JsonText),
    Column("after", JsonText),
)

# Messages of the queues of watched volumes that could not be understood.
volume_messages = Table(
    "volume_messages",
    metadata,
    Column("volume_id", ForeignKey("volumes.id", ondelete="CASCADE"), primary_key=True),
    Column("message_id", LooseText, primary_key=True),
    Column("body", LooseText, nullable=False),
    Column("reason", LooseText, nullable=False),
    Column("at", Instant, nullable=False),
)

functions = Table(
    "functions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schema_id", ForeignKey("schemas.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("parameters", JsonText, nullable=False),
    Column("returns", Text, nullable=False),
    Column("body", LooseText, nullable=False),
    Column("deterministic", Boolean, nullable=False),
    Column("comment", LooseText),
    Column("creator", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("modified_at", Instant, nullable=False),
)
Index("functions_name", functions.c.schema_id, functions.c.name, unique=True)
