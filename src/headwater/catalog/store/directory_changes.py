"""The store's changes of directory tables, which streams over volumes read.

Invariant: while a stream watches a volume, each file that a version of its directory table made,
replaced or removed is one row, written with that version. What all its streams have consumed goes.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    delete,
    literal,
    null,
    select,
)

from headwater.catalog.store.bulk import insert_rows
from headwater.catalog.store.column_types import Instant
from headwater.catalog.store.database import Database
from headwater.catalog.store.directory_images import image_in_database, image_of, image_values
from headwater.catalog.store.file_model import directory_files, volumes
from headwater.catalog.store.stream_model import directory_changes, streams
from headwater.catalog.streams import StreamOffset
from headwater.catalog.volumes import FileChange, Volume
from headwater.errors import UserError
from headwater.names import QualifiedName

_columns = directory_changes.c
_NAMES = ["volume_id", "version", "relative_path", "at", "before", "after"]


class DirectoryChanges:
    """Reads what happened to the files of volumes that streams watch."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def since(
        self, volume: Volume, version: int, *, connection: Connection | None = None
    ) -> tuple[int, builtins.list[FileChange]]:
        """The version of a directory table now, and what happened behind `version` up to it."""
        of = select(volumes.c.directory_version).where(volumes.c.id == volume.id)
        with self._database.read(connection) as own:
            now = own.execute(of).scalar_one_or_none()
            if now is None:
                raise volume_not_found(volume)
            # Rows up to a version never change, so that both questions are about one moment.
            behind = (_columns.version > version) & (_columns.version <= now)
            query = select(directory_changes).where(_columns.volume_id == volume.id, behind)
            rows = own.execute(query.order_by(_columns.version, _columns.relative_path)).all()
        return now, [
            FileChange(
                row.version,
                row.relative_path,
                image_of(volume, row.relative_path, row.before),
                image_of(volume, row.relative_path, row.after),
            )
            for row in rows
        ]

    def hold(self, volume: Volume, *, connection: Connection) -> int:
        """The version of a directory table, which stays until the caller's transaction ends.

        A stream that is made in this transaction sees each version behind it, and none before.
        """
        return lock_directory(connection, volume).version


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory table that the transaction holds."""

    version: int
    refreshed_at: datetime | None
    watched: bool
    """Whether a stream needs to know what happens to it."""


def lock_directory(own: Connection, volume: Volume) -> Directory:
    """Takes the right to change a directory table, and forgets what its streams have consumed.

    VOLUME_NOT_FOUND when the volume is gone.
    """
    query = select(volumes.c.refreshed_at, volumes.c.directory_version)
    row = own.execute(query.where(volumes.c.id == volume.id).with_for_update()).one_or_none()
    if row is None:
        raise volume_not_found(volume)
    watchers = select(streams.c.position).where(streams.c.source_id == volume.id)
    positions = [StreamOffset.from_dict(found).position for found in own.scalars(watchers)]
    consumed = min(positions, default=row.directory_version)
    own.execute(
        delete(directory_changes).where(
            _columns.volume_id == volume.id, _columns.version <= consumed
        )
    )
    return Directory(row.directory_version, row.refreshed_at, watched=bool(positions))


def record_changes(
    own: Connection, volume: Volume, changes: Iterable[FileChange], *, at: datetime
) -> None:
    """Stores changes that are known file by file."""
    rows = (
        {
            "volume_id": volume.id,
            "version": change.version,
            "relative_path": change.relative_path,
            "at": at,
            "before": None if change.before is None else image_values(volume, change.before),
            "after": None if change.after is None else image_values(volume, change.after),
        }
        for change in changes
    )
    insert_rows(own, directory_changes, rows)


def record_before(
    own: Connection,
    volume_id: str,
    rows: FromClause,
    which: ColumnElement[bool],
    *,
    version: int,
    at: datetime,
) -> None:
    """Stores how the files of `rows` are, of those which the version is about to change."""
    image = image_in_database(own)
    query = _selected(volume_id, version, at, image, null()).select_from(rows).where(which)
    # A listing may name a path twice, and which of the two is kept is for others to say.
    own.execute(_insert(own).from_select(_NAMES, query).on_conflict_do_nothing())


def record_after(own: Connection, volume_id: str, *, version: int, at: datetime) -> None:
    """Stores how the files are that the version has changed or made."""
    stored = directory_files.c
    query = _selected(volume_id, version, at, null(), image_in_database(own))
    query = query.where(stored.volume_id == volume_id, stored.version == version)
    made = _insert(own).from_select(_NAMES, query)
    keys = [_columns.volume_id, _columns.version, _columns.relative_path]
    seen = {"after": made.excluded.after}
    own.execute(made.on_conflict_do_update(index_elements=keys, set_=seen))


def volume_not_found(volume: Volume) -> UserError:
    """The error for a volume that is not there any more."""
    name = str(QualifiedName(volume.workspace, volume.schema, volume.name))
    return UserError("VOLUME_NOT_FOUND", name=name)


def _selected(
    volume_id: str,
    version: int,
    at: datetime,
    before: ColumnElement[Any],
    after: ColumnElement[Any],
) -> Select[Any]:
    moment = literal(at, Instant)
    path = directory_files.c.relative_path
    return select(literal(volume_id), literal(version), path, moment, before, after)


def _insert(own: Connection) -> Any:
    """An INSERT that can say what happens to a row that is there; each dialect has its own."""
    if own.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as postgres_insert

        return postgres_insert(directory_changes)
    from sqlalchemy.dialects.sqlite import insert as sqlite_insert

    return sqlite_insert(directory_changes)
