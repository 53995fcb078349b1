"""The store's directory tables: the files of a volume as the last look at its store found them.

Invariant: readers see one version, whole; a refresh changes no row whose file did not change, and
nothing is locked while the files are being listed, however long that takes. Each refresh that
changes something makes the next version. Law: what was seen earlier never replaces what was seen
later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from headwater.catalog.store.bulk import insert_rows, one_of
from headwater.catalog.store.database import Database, begin_writing
from headwater.catalog.store.directory_changes import (
    Directory,
    lock_directory,
    record_changes,
    volume_not_found,
)
from headwater.catalog.store.directory_images import COMPARED, file_from, file_values, image_from
from headwater.catalog.store.directory_listing import prepare_planner, staging, write_difference
from headwater.catalog.store.file_model import directory_files, volumes
from headwater.catalog.volumes import (
    DirectoryChange,
    DirectoryFile,
    FileChange,
    FileImage,
    Volume,
)

_ROWS_AT_A_TIME = 5_000
_HIGHEST_CHARACTER = "\U0010ffff"


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
            listed_at: when the listing began. If the directory table shows a look that did not
                begin before it, this one is thrown away and said to be late.
            within: called in the transaction that writes; what it raises, such as LEASE_LOST,
                undoes it.
        """
        with self._database.connect() as own, staging(own, sqlite=self._database.sqlite) as staged:
            for batch in batches:
                rows = (file_values(volume, file) for file in batch)
                with own.begin():
                    insert_rows(own, staged, rows, replacing=self._database.sqlite)
            with begin_writing(own):
                if not self._database.sqlite:
                    prepare_planner(own, staged)
                held = lock_directory(own, volume)
                if within is not None:
                    within(own)
                if _is_late(held, listed_at):
                    return DirectoryChange(late=True)
                at = self._database.clock()
                change = write_difference(own, staged, volume.id, held, at)
                _note_look(own, volume, held, change, looked_at=listed_at)
                return change

    def patch(
        self, volume: Volume, looked: Mapping[str, DirectoryFile | None], *, looked_at: datetime
    ) -> DirectoryChange:
        """Makes a directory table show what a look at some paths found, and leaves the others.

        Args:
            volume: whose directory table it is; VOLUME_NOT_FOUND when it is gone by then.
            looked: the file that each path has, or None where there is none.
            looked_at: when the look began. If the directory table shows one that did not begin
                before it, this one is thrown away and said to be late: the store has to be asked
                again.
        """
        with self._database.write() as own:
            held = lock_directory(own, volume)
            if _is_late(held, looked_at):
                return DirectoryChange(late=True)
            at = self._database.clock()
            changes = _changes(own, volume, looked, version=held.version + 1, at=at)
            _write_changes(own, volume, changes)
            if held.watched:
                record_changes(own, volume, changes, at=at)
            change = _counted(changes)
            _note_look(own, volume, held, change, looked_at=looked_at)
            return change

    def images(self, volume: Volume) -> tuple[int, list[FileImage]]:
        """The version of a directory table, and its files in the order of their paths."""
        files = directory_files.c
        theirs = files.volume_id == volumes.c.id
        # One question, so that the answer is about one moment.
        query = (
            select(volumes.c.directory_version, directory_files)
            .join_from(volumes, directory_files, theirs, isouter=True)
            .where(volumes.c.id == volume.id)
            .order_by(files.relative_path)
        )
        with self._database.read() as own:
            rows = own.execute(query).all()
        if not rows:
            raise volume_not_found(volume)
        found = [image_from(volume, row) for row in rows if row.relative_path is not None]
        return rows[0].directory_version, found

    def read(self, volume: Volume, *, under: str = "") -> Iterator[DirectoryFile]:
        """The files of a volume in the order of their paths, those whose path begins with `under`.

        They come from one transaction that is open until the last one is read.
        """
        columns = directory_files.c
        query = select(columns.relative_path, *(columns[name] for name in COMPARED)).where(
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
                yield file_from(volume, row)


def _is_late(held: Directory, looked_at: datetime) -> bool:
    """Of two looks that began at the same moment, nobody knows which saw the later state."""
    return held.refreshed_at is not None and held.refreshed_at >= looked_at


def _note_look(
    own: Connection,
    volume: Volume,
    held: Directory,
    change: DirectoryChange,
    *,
    looked_at: datetime,
) -> None:
    version = held.version + 1 if change.any else held.version
    done = update(volumes).where(volumes.c.id == volume.id)
    own.execute(done.values(refreshed_at=looked_at, directory_version=version))


def _changes(
    own: Connection,
    volume: Volume,
    looked: Mapping[str, DirectoryFile | None],
    *,
    version: int,
    at: datetime,
) -> list[FileChange]:
    """What a look at some paths changes."""
    stored = directory_files.c
    paths = one_of(own, stored.relative_path, list(looked))
    rows = own.execute(select(directory_files).where(stored.volume_id == volume.id, paths))
    known = {row.relative_path: image_from(volume, row) for row in rows}
    changes = []
    for path, file in looked.items():
        before = known.get(path)
        if (None if before is None else before.file) == file:
            continue
        after = None if file is None else FileImage(file, version, at)
        changes.append(FileChange(version, path, before, after))
    return changes


def _write_changes(own: Connection, volume: Volume, changes: Sequence[FileChange]) -> None:
    stored = directory_files.c
    old = one_of(own, stored.relative_path, [c.relative_path for c in changes if c.before])
    own.execute(delete(directory_files).where(stored.volume_id == volume.id, old))
    images = (change.after for change in changes if change.after is not None)
    rows = (
        {
            "volume_id": volume.id,
            **file_values(volume, image.file),
            "version": image.version,
            "seen_at": image.seen_at,
        }
        for image in images
    )
    insert_rows(own, directory_files, rows)


def _counted(changes: Sequence[FileChange]) -> DirectoryChange:
    added = sum(change.before is None for change in changes)
    removed = sum(change.after is None for change in changes)
    return DirectoryChange(added, len(changes) - added - removed, removed)
