"""Load history as rows, both ways. Invariant: what is read equals what was written."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row

from headwater.catalog.load_history import LoadedFile, LoadEntry, LoadStatus, SourceFile
from headwater.catalog.store.storable_paths import require_storable


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


def loaded_file_from(row: Row[Any]) -> LoadedFile:
    """The whole row."""
    return LoadedFile(
        table_id=row.table_id,
        job_id=row.job_id,
        file=file_from(row),
        status=LoadStatus(row.status),
        source=row.source,
        loaded_at=row.loaded_at,
        rows=row.rows,
        first_error=row.first_error,
        delta_version=row.delta_version,
        purge_pending=row.purge_requested_at is not None,
    )


def entry_from(row: Row[Any]) -> LoadEntry:
    """What LOAD_HISTORY shows of a row."""
    status = LoadStatus(row.status)
    return LoadEntry(row.path, row.loaded_at, row.size, status, row.first_error)
