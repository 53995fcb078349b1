"""A listing on its way into a directory table: staged beside it, then held against it.

Invariant: only rows whose file was made, replaced or removed are written, whatever the number of
files; all the comparing is the database's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Insert,
    MetaData,
    Table,
    Text,
    delete,
    exists,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.schema import CreateTable

from headwater.catalog.store.column_types import Instant
from headwater.catalog.store.directory_changes import Directory, record_after, record_before
from headwater.catalog.store.directory_images import COMPARED
from headwater.catalog.store.file_model import directory_files
from headwater.catalog.volumes import DirectoryChange


@contextmanager
def staging(own: Connection, *, sqlite: bool) -> Iterator[Table]:
    """A temporary table for a listing, which only this connection sees."""
    staged = Table(
        "staged_files",
        MetaData(),
        # COPY stops at a repeated key, so on PostgreSQL the last INSERT skips it instead.
        Column("relative_path", Text, primary_key=sqlite),
        Column("url", Text),
        Column("size", BigInteger),
        Column("modified_at", Instant),
        Column("etag", Text),
        prefixes=["TEMPORARY"],
        sqlite_with_rowid=not sqlite,
    )
    try:
        with own.begin():
            own.execute(CreateTable(staged))
        yield staged
    finally:
        # The temporary table goes with its connection. To drop it would need a transaction, for
        # which it might have to wait after the listing is stored.
        own.invalidate()


def prepare_planner(own: Connection, staged: Table) -> None:
    """Keeps PostgreSQL from comparing every file with every other.

    It would, in a nested loop, for a volume that is newer than its statistics.
    """
    own.execute(text(f"ANALYZE {staged.name}"))
    own.execute(text("SET LOCAL enable_nestloop = off"))


def write_difference(
    own: Connection, staged: Table, volume_id: str, held: Directory, at: datetime
) -> DirectoryChange:
    """Makes the directory table show what is staged, as its next version."""
    stored = directory_files
    version = held.version + 1
    ours = stored.c.volume_id == volume_id
    same_path = staged.c.relative_path == stored.c.relative_path
    differs = or_(*(stored.c[name].is_distinct_from(staged.c[name]) for name in COMPARED))
    is_gone = ours & ~exists().where(same_path)
    if held.watched:
        record_before(own, volume_id, stored, is_gone, version=version, at=at)
        both = stored.join(staged, same_path)
        record_before(own, volume_id, both, ours & differs, version=version, at=at)
    new_values = {
        **{name: staged.c[name] for name in COMPARED},
        "version": version,
        "seen_at": at,
    }
    names = ["relative_path", *COMPARED]
    new = select(
        literal(volume_id),
        *(staged.c[name] for name in names),
        literal(version),
        literal(at, Instant),
    ).where(~exists().where(ours, same_path))
    removed = own.execute(delete(stored).where(is_gone))
    changed = own.execute(update(stored).where(ours, same_path, differs).values(new_values))
    columns = ["volume_id", *names, "version", "seen_at"]
    statement = _insert_unless_there(own).from_select(columns, new)
    added = own.execute(statement, execution_options={"preserve_rowcount": True})
    if held.watched:
        record_after(own, volume_id, version=version, at=at)
    return DirectoryChange(added.rowcount, changed.rowcount, removed.rowcount)


def _insert_unless_there(own: Connection) -> Insert:
    if own.dialect.name != "postgresql":
        return insert(directory_files)
    # Imported here, because it brings the whole dialect with it.
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert(directory_files).on_conflict_do_nothing()
