"""The store's load history: which file went into which table, agreeing with the Delta log.

A load writes its intent, commits to Delta, then confirms. Law: what is LOADED is in a Delta commit;
what is in a Delta commit is LOADED or still LOADING, and recovery confirms or abandons that by its
job. To confirm or to abandon twice, or one after the other, changes nothing more.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from headwater.catalog.load_history import (
    COPY_SOURCE,
    LoadedFile,
    LoadEntry,
    LoadStatus,
    PendingLoad,
    PendingPurge,
    SourceFile,
)
from headwater.catalog.store.bulk import insert_rows, one_of
from headwater.catalog.store.database import Database
from headwater.catalog.store.file_model import load_history
from headwater.catalog.store.load_rows import (
    entry_from,
    file_from,
    file_values,
    loaded_file_from,
    select_loaded_files,
)
from headwater.catalog.store.storable_paths import require_storable

_PATHS_AT_A_TIME = 10_000
_columns = load_history.c


class LoadHistory:
    """Records what is loaded, and finds it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record_intent(
        self,
        table_id: str,
        job_id: str,
        files: Iterable[SourceFile],
        *,
        source: str = COPY_SOURCE,
        purge: bool = False,
        connection_id: str | None = None,
        connection_ids: Mapping[SourceFile, str | None] | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Says before the Delta commit which files it will hold; an earlier intent is replaced.

        Args:
            table_id: where the files go.
            job_id: the job that loads them, by which recovery finds its commit.
            files: each path once; of a repeated path the last is kept.
            source: COPY or the name of a pipe.
            purge: whether the files are to be deleted after the commit.
            connection_id: how to reach them then; None for files of the lake.
            connection_ids: the same, where it is not one for all files.
            connection: the caller's transaction.
        """
        now = self._database.clock()
        common = {
            "table_id": table_id,
            "job_id": job_id,
            "status": LoadStatus.LOADING,
            "source": source,
            "loaded_at": now,
            "purge_requested_at": now if purge else None,
        }
        reached = connection_ids or {}
        once = {file.path: file for file in files}
        rows = (
            common | file_values(file) | {"connection_id": reached.get(file, connection_id)}
            for file in once.values()
        )
        with self._database.write(connection) as own:
            own.execute(delete(load_history).where(_intent_of(job_id, table_id)))
            insert_rows(own, load_history, rows)

    def record_failed(
        self,
        table_id: str,
        job_id: str,
        errors: Mapping[SourceFile, str],
        *,
        source: str = COPY_SOURCE,
        connection: Connection | None = None,
    ) -> None:
        """Records files that could not be read, each with its first error.

        It takes them out of the job's intent, so call it before the commit that leaves them out.
        """
        common = {
            "table_id": table_id,
            "job_id": job_id,
            "status": LoadStatus.LOAD_FAILED,
            "source": source,
            "loaded_at": self._database.clock(),
        }
        rows = (common | file_values(f) | {"first_error": error} for f, error in errors.items())
        with self._database.write(connection) as own:
            for paths in _pieces(file.path for file in errors):
                theirs = and_(_columns.table_id == table_id, _columns.job_id == job_id)
                own.execute(delete(load_history).where(theirs, one_of(own, _columns.path, paths)))
            insert_rows(own, load_history, rows)

    def record_skipped(
        self,
        table_id: str,
        pipe_id: str,
        reasons: Mapping[SourceFile, str],
        *,
        source: str,
        connection: Connection | None = None,
    ) -> int:
        """Records files that a pipe leaves alone, each with its reason; says how many are new.

        A version of a file is recorded once, however often the pipe meets it; a newer version takes
        its place.
        """
        common = {
            "table_id": table_id,
            "job_id": pipe_id,
            "status": LoadStatus.SKIPPED,
            "source": source,
            "loaded_at": self._database.clock(),
        }
        theirs = and_(_columns.table_id == table_id, _columns.job_id == pipe_id)
        with self._database.write(connection) as own:
            old: dict[str, SourceFile] = {}
            for paths in _pieces(file.path for file in reasons):
                query = select(load_history).where(theirs, one_of(own, _columns.path, paths))
                old.update((row.path, file_from(row)) for row in own.execute(query))
            fresh = {
                file.path: (file, reason)
                for file, reason in reasons.items()
                if file.path not in old or not file.unchanged(old[file.path])
            }
            for paths in _pieces(fresh):
                own.execute(delete(load_history).where(theirs, one_of(own, _columns.path, paths)))
            rows = (common | file_values(f) | {"first_error": why} for f, why in fresh.values())
            insert_rows(own, load_history, rows)
        return len(fresh)

    def forget(
        self,
        table_id: str,
        path: str,
        *,
        job_ids: Collection[str] = (),
        statuses: Collection[LoadStatus] = (),
        connection: Connection | None = None,
    ) -> int:
        """Forgets what is known of a file, of these jobs or with these statuses; says how much."""
        chosen = or_(
            _columns.job_id.in_(builtins.list(job_ids)),
            _columns.status.in_(builtins.list(statuses)),
        )
        theirs = and_(_columns.table_id == table_id, _columns.path == path, chosen)
        with self._database.write(connection) as own:
            return own.execute(delete(load_history).where(theirs)).rowcount

    def confirm(
        self,
        job_id: str,
        delta_version: int,
        *,
        rows: Mapping[str, int] | None = None,
        connection: Connection | None = None,
    ) -> int:
        """Makes a job's intent LOADED after its Delta commit, and says for how many files.

        `rows` are the numbers of rows by path, where they are known.
        """
        values = {
            "status": LoadStatus.LOADED,
            "delta_version": delta_version,
            "loaded_at": self._database.clock(),
        }
        with self._database.write(connection) as own:
            if not rows:
                statement = update(load_history).where(_intent_of(job_id)).values(values)
                return own.execute(statement).rowcount
            # Written anew: that is much faster than to update one row at a time.
            intent = select(load_history).where(_intent_of(job_id)).with_for_update()
            found = own.execute(intent).mappings().all()
            own.execute(delete(load_history).where(_intent_of(job_id)))
            loaded = ({**row, **values, "rows": rows.get(row["path"])} for row in found)
            insert_rows(own, load_history, loaded)
            return len(found)

    def abandon(self, job_id: str, *, connection: Connection | None = None) -> int:
        """Forgets a job's intent, whose Delta commit did not happen; says how many files it had."""
        with self._database.write(connection) as own:
            return own.execute(delete(load_history).where(_intent_of(job_id))).rowcount

    def pending(self) -> builtins.list[PendingLoad]:
        """The loads that were neither confirmed nor abandoned, oldest first."""
        with self._database.read() as own:
            return [PendingLoad(*row) for row in own.execute(_pending())]

    def pending_purges(self, job_id: str | None = None) -> builtins.list[PendingPurge]:
        """The loaded files that are still to be deleted at their source, of one job or of all."""
        query = _purges()
        if job_id is not None:
            query = query.where(_columns.job_id == job_id)
        with self._database.read() as own:
            rows = own.execute(query).all()
        # Told apart here: asked for the status, the database would look at all that is loaded.
        return [
            PendingPurge(row.job_id, file_from(row), row.connection_id)
            for row in rows
            if row.status == LoadStatus.LOADED
        ]

    def mark_purged(
        self, job_id: str, paths: Iterable[str], *, connection: Connection | None = None
    ) -> None:
        """Notes that files need no purge any more: deleted, or found changed and left alone."""
        theirs = and_(_columns.job_id == job_id, _columns.purge_requested_at.is_not(None))
        with self._database.write(connection) as own:
            for piece in _pieces(paths):
                statement = update(load_history).where(theirs, one_of(own, _columns.path, piece))
                own.execute(statement.values(purge_requested_at=None))

    def latest_per_path(
        self,
        table_id: str,
        since: datetime,
        *,
        limit: int | None = None,
        unloaded_first: bool = False,
    ) -> builtins.list[LoadEntry]:
        """What LOAD_HISTORY shows of a table: of each path its newest copy, newest first."""
        age = func.row_number().over(
            partition_by=_columns.path,
            order_by=(_columns.loaded_at.desc(), _columns.job_id.desc()),
        )
        copies = (
            select(
                _columns.path,
                _columns.loaded_at,
                _columns.size,
                _columns.status,
                _columns.first_error,
                age.label("age"),
            )
            .where(
                _columns.table_id == table_id,
                _columns.loaded_at >= since,
                _columns.status != LoadStatus.LOADING,
            )
            .subquery()
        )
        order = [copies.c.loaded_at.desc(), copies.c.path]
        if unloaded_first:
            order.insert(0, case((copies.c.status == LoadStatus.LOADED, 1), else_=0))
        query = select(copies).where(copies.c.age == 1).order_by(*order).limit(limit)
        with self._database.read() as own:
            rows = own.execute(query).all()
        return [entry_from(row) for row in rows]

    def of_job(self, job_id: str) -> builtins.list[LoadedFile]:
        """The files of a job, by path."""
        # The statuses are named so that the index on them serves.
        query = select_loaded_files().where(
            _columns.status.in_(builtins.list(LoadStatus)), _columns.job_id == job_id
        )
        with self._database.read() as own:
            rows = own.execute(query.order_by(_columns.path, _columns.table_id)).all()
        return [loaded_file_from(row) for row in rows]

    def known_paths(
        self,
        table_id: str,
        paths: Iterable[str],
        since: datetime,
        *,
        statuses: Collection[LoadStatus] = (LoadStatus.LOADING, LoadStatus.LOADED),
    ) -> dict[str, str | None]:
        """Those of `paths` that are in a table, or on their way, with the etag of the newest copy.

        A file that could not be read is not among them unless `statuses` says so.
        """
        known: dict[str, str | None] = {}
        query = select(_columns.path, _columns.etag).where(
            _columns.table_id == table_id,
            _columns.loaded_at >= since,
            _columns.status.in_(builtins.list(statuses)),
        )
        # Oldest first: of several copies the newest has the last word.
        ordered = query.order_by(_columns.loaded_at, _columns.job_id)
        with self._database.read() as own:
            for piece in _pieces(paths):
                found = own.execute(ordered.where(one_of(own, _columns.path, piece)))
                known.update((row.path, row.etag) for row in found)
        return known

    def known(
        self,
        table_id: str,
        paths: Sequence[str],
        since: datetime,
        *,
        statuses: Collection[LoadStatus] = (LoadStatus.LOADED, LoadStatus.LOAD_FAILED),
    ) -> dict[str, builtins.list[LoadedFile]]:
        """What is known of those of `paths` that are in the history, newest first.

        Of each path and status the newest row is given, and every row whose file is still to be
        purged. Intents, and what is still to be purged, are found whatever their age.
        """
        known: dict[str, builtins.list[LoadedFile]] = {}
        given: set[tuple[str, LoadStatus]] = set()
        with self._database.read() as own:
            for piece in _pieces(paths):
                for row in own.execute(_of_paths(own, table_id, piece, since)):
                    found = loaded_file_from(row)
                    path, status = found.file.path, found.status
                    # Told apart here: the database would look at the index on statuses, too.
                    if status not in statuses:
                        continue
                    if found.purge_pending or (path, status) not in given:
                        given.add((path, status))
                        known.setdefault(path, []).append(found)
        return known

    def expire(self, older_than: datetime, *, connection: Connection | None = None) -> int:
        """Forgets what was loaded before `older_than`, and says how many files that were.

        Intents and files that are still to be purged stay, whatever their age.
        """
        statement = delete(load_history).where(
            _columns.loaded_at < older_than,
            _columns.status != LoadStatus.LOADING,
            _columns.purge_requested_at.is_(None),
        )
        with self._database.write(connection) as own:
            return own.execute(statement).rowcount


def _intent_of(job_id: str, table_id: str | None = None) -> ColumnElement[bool]:
    intent = and_(_columns.status == LoadStatus.LOADING, _columns.job_id == job_id)
    return intent if table_id is None else and_(intent, _columns.table_id == table_id)


def _of_paths(
    own: Connection, table_id: str, paths: builtins.list[str], since: datetime
) -> Select[Any]:
    """The rows of some paths that are not too old, newest first."""
    remembered = or_(
        _columns.loaded_at >= since,
        _columns.purge_requested_at.is_not(None),
        _columns.status == LoadStatus.LOADING,
    )
    query = select_loaded_files().where(
        _columns.table_id == table_id, one_of(own, _columns.path, paths), remembered
    )
    return query.order_by(_columns.loaded_at.desc(), _columns.job_id.desc())


def _pieces(paths: Iterable[str]) -> Iterator[builtins.list[str]]:
    """The paths in lists of a size that is good to send."""
    left = iter(paths)
    while piece := builtins.list(islice(left, _PATHS_AT_A_TIME)):
        for path in piece:
            require_storable(path)
        yield piece


@cache
def _pending() -> Select[Any]:
    began = func.min(_columns.loaded_at, type_=_columns.loaded_at.type)
    return (
        select(_columns.job_id, _columns.table_id, _columns.source, began, func.count())
        .where(_columns.status == LoadStatus.LOADING)
        .group_by(_columns.job_id, _columns.table_id, _columns.source)
        .order_by(began, _columns.job_id, _columns.table_id)
    )


@cache
def _purges() -> Select[Any]:
    query = select(load_history).where(_columns.purge_requested_at.is_not(None))
    return query.order_by(_columns.job_id, _columns.path)
