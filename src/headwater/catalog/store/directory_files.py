"""The store's directory tables: the files of a volume as its last refresh found them.

Invariant: readers see one listing, whole; a refresh changes no row whose file did not change, and
nothing is locked while the files are being listed, however long that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Insert,
    MetaData,
    Row,
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

from headwater.catalog.store.bulk import insert_rows
from headwater.catalog.store.column_types import Instant
from headwater.catalog.store.database import Database, begin_writing
from headwater.catalog.store.file_model import directory_files, volumes
from headwater.catalog.store.storable_paths import require_storable
from headwater.catalog.volumes import DirectoryChange, DirectoryFile, Volume
from headwater.errors import UserError
from headwater.names import QualifiedName

_ROWS_AT_A_TIME = 5_000
_HIGHEST_CHARACTER = "\U0010ffff"
_COMPARED = ("url", "size", "modified_at", "etag")


class DirectoryFiles:
    """Stores and reads directory tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def replace(
        self,
        volume: Volume,
        batches: Iterable[Sequence[DirectoryFile]],
        *,
        listed_at: datetime,
        within: Callable[[Connection], None] | None = None,
    ) -> DirectoryChange:
        """Makes a volume's directory table show the files of `batches`, in one transaction.

        Args:
            volume: whose directory table it is; VOLUME_NOT_FOUND when it is gone by then.
            batches: the files in any order, read piece by piece. If it raises, nothing changes. Of
                two files with one path, one is kept.
            listed_at: when the listing began. If the directory table shows a later one already,
                this one is thrown away.
            within: called in the transaction that writes; what it raises, such as LEASE_LOST,
                undoes it.
        """
        with self._database.connect() as own, _staging(own, sqlite=self._database.sqlite) as staged:
            for batch in batches:
                rows = (_values(volume, file) for file in batch)
                with own.begin():
                    insert_rows(own, staged, rows, replacing=self._database.sqlite)
            with begin_writing(own):
                if not self._database.sqlite:
                    _prepare_planner(own, staged)
                return _apply(own, staged, volume=volume, listed_at=listed_at, within=within)

    def read(self, volume: Volume, *, under: str = "") -> Iterator[DirectoryFile]:
        """The files of a volume in the order of their paths, those whose path begins with `under`.

        They come from one transaction that is open until the last one is read.
        """
        columns = directory_files.c
        query = select(columns.relative_path, *(columns[name] for name in _COMPARED)).where(
            columns.volume_id == volume.id
        )
        if under:
            # A range, because a database finds it by the key; LIKE it would not.
            beyond = under + _HIGHEST_CHARACTER
            query = query.where(columns.relative_path >= under, columns.relative_path < beyond)
        ordered = query.order_by(columns.relative_path)
        with self._database.read() as own:
            options = {"yield_per": _ROWS_AT_A_TIME}
            for row in own.execute(ordered, execution_options=options):
                yield _file(volume, row)


@contextmanager
def _staging(own: Connection, *, sqlite: bool) -> Iterator[Table]:
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


def _prepare_planner(own: Connection, staged: Table) -> None:
    """Keeps PostgreSQL from comparing every file with every other.

    It would, in a nested loop, for a volume that is newer than its statistics.
    """
    own.execute(text(f"ANALYZE {staged.name}"))
    own.execute(text("SET LOCAL enable_nestloop = off"))


def _apply(
    own: Connection,
    staged: Table,
    *,
    volume: Volume,
    listed_at: datetime,
    within: Callable[[Connection], None] | None,
) -> DirectoryChange:
    query = select(volumes.c.refreshed_at).where(volumes.c.id == volume.id)
    row = own.execute(query.with_for_update()).one_or_none()
    if row is None:
        name = str(QualifiedName(volume.workspace, volume.schema, volume.name))
        raise UserError("VOLUME_NOT_FOUND", name=name)
    if within is not None:
        within(own)
    if row.refreshed_at is not None and row.refreshed_at > listed_at:
        return DirectoryChange()
    done = update(volumes).where(volumes.c.id == volume.id).values(refreshed_at=listed_at)
    own.execute(done)
    return _write_difference(own, staged, volume.id)


def _write_difference(own: Connection, staged: Table, volume_id: str) -> DirectoryChange:
    stored = directory_files
    ours = stored.c.volume_id == volume_id
    same_path = staged.c.relative_path == stored.c.relative_path
    differs = or_(*(stored.c[name].is_distinct_from(staged.c[name]) for name in _COMPARED))
    new_values = {name: staged.c[name] for name in _COMPARED}
    is_stored = exists().where(ours, same_path)
    names = ["relative_path", *_COMPARED]
    new = select(literal(volume_id), *(staged.c[name] for name in names)).where(~is_stored)
    removed = own.execute(delete(stored).where(ours, ~exists().where(same_path)))
    changed = own.execute(update(stored).where(ours, same_path, differs).values(new_values))
    statement = _insert_unless_there(own).from_select(["volume_id", *names], new)
    added = own.execute(statement, execution_options={"preserve_rowcount": True})
    return DirectoryChange(added.rowcount, changed.rowcount, removed.rowcount)


def _insert_unless_there(own: Connection) -> Insert:
    if own.dialect.name != "postgresql":
        return insert(directory_files)
    # Imported here, because it brings the whole dialect with it.
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert(directory_files).on_conflict_do_nothing()


def _values(volume: Volume, file: DirectoryFile) -> dict[str, Any]:
    require_storable(file.relative_path)
    derived = file.url == volume.url + file.relative_path
    if not derived:
        require_storable(file.url)
    return {
        "relative_path": file.relative_path,
        # Most urls follow from the volume's: to keep them would double the size of the catalog.
        "url": None if derived else file.url,
        "size": file.size,
        "modified_at": file.modified_at,
        "etag": file.etag,
    }


def _file(volume: Volume, row: Row[Any]) -> DirectoryFile:
    url = row.url or volume.url + row.relative_path
    return DirectoryFile(row.relative_path, url, row.size, row.modified_at, row.etag)
