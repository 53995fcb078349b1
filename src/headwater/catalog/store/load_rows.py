"""Load history as rows, both ways. Invariant: what is read equals what was written."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, Select, select

from headwater.catalog.load_history import LoadedFile, LoadEntry, LoadStatus, SourceFile
from headwater.catalog.store.file_model import load_history
from headwater.catalog.store.storable_paths import require_storable

_STATUSES = {status.value: status for status in LoadStatus}


def file_values(file: SourceFile) -> dict[str, Any]:
    """The columns of a row that say which file it is about."""
    require_storable(file.path)
    return {
        "path": file.path,
        "size": file.size,
        "modified_at": file.modified_at,
        "etag": file.etag,
    }


def file_from(row: Row[Any]) -> SourceFile:
    """The file that a row is about."""
    return SourceFile(row.path, row.size, row.modified_at, row.etag)


def select_loaded_files() -> Select[Any]:
    """The query for whole rows, of which the rest is to say which ones."""
    return select(
        load_history.c.table_id,
        load_history.c.job_id,
        load_history.c.path,
        load_history.c.size,
        load_history.c.modified_at,
        load_history.c.etag,
        load_history.c.status,
        load_history.c.source,
        load_history.c.loaded_at,
        load_history.c.rows,
        load_history.c.first_error,
        load_history.c.delta_version,
        load_history.c.purge_requested_at,
    )


def loaded_file_from(row: Row[Any]) -> LoadedFile:
    """The file of a row of `select_loaded_files`."""
    # By position: a pipe reads thousands of rows, and to find a column by its name takes longer
    # than all the rest.
    columns: tuple[Any, ...] = tuple(row)
    table_id, job_id, path, size, modified_at, etag, *outcome = columns
    status, source, loaded_at, rows, first_error, delta_version, purge_requested_at = outcome
    return LoadedFile(
        table_id,
        job_id,
        SourceFile(path, size, modified_at, etag),
        _STATUSES[status],
        source,
        loaded_at,
        rows,
        first_error,
        delta_version,
        purge_requested_at is not None,
    )


def entry_from(row: Row[Any]) -> LoadEntry:
    """What LOAD_HISTORY shows of a row."""
    status = LoadStatus(row.status)
    return LoadEntry(row.path, row.loaded_at, row.size, status, row.first_error)
