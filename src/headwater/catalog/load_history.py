"""Load history: which file went into which table, as plain data.

Invariant: LOADING marks an intent whose Delta commit may or may not have happened; recovery turns
it into LOADED or removes it. A file may be purged only once it is LOADED. That a file was SKIPPED
says nothing of whether an earlier copy of it was loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LoadStatus(StrEnum):
    """How far a file has come; users see all but the first."""

    LOADING = "LOADING"
    LOADED = "LOADED"
    LOAD_FAILED = "LOAD_FAILED"
    SKIPPED = "SKIPPED"
    """A pipe leaves it alone, for example because it replaces a file that was loaded."""


def skip_order(pipe_id: str) -> str:
    """The job of a row that says that a user wants a file left alone.

    What a pipe leaves alone by its own rules has the pipe's id.
    """
    return _SKIP_ORDER + pipe_id


_SKIP_ORDER = "skip:"
COPY_SOURCE = "COPY"
"""The source of what a COPY loaded; for a pipe it is the pipe's name."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was when it was read; `path` is its full url."""

    path: str
    size: int
    modified_at: datetime | None = None
    etag: str | None = None

    def unchanged(self, other: SourceFile) -> bool:
        """Whether both are the same version of one file: by etag, or else by size and time."""
        if self.path != other.path:
            return False
        if self.etag is not None and other.etag is not None:
            return self.etag == other.etag
        return (self.size, self.modified_at) == (other.size, other.modified_at)


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file in a table's load history."""

    table_id: str
    job_id: str
    file: SourceFile
    status: LoadStatus
    source: str
    loaded_at: datetime
    rows: int | None = None
    first_error: str | None = None
    delta_version: int | None = None
    purge_pending: bool = False
    """Whether it is still to be deleted at its source."""

    @property
    def is_skip_order(self) -> bool:
        """Whether a user wants the file left alone."""
        return self.status is LoadStatus.SKIPPED and self.job_id.startswith(_SKIP_ORDER)


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """A row of LOAD_HISTORY."""

    file_path: str
    last_copy_time: datetime
    file_size: int
    status: LoadStatus
    first_error_message: str | None


@dataclass(frozen=True, slots=True)
class PendingLoad:
    """A job that began to load files into a table and has not said how it ended."""

    job_id: str
    table_id: str
    source: str
    recorded_at: datetime
    files: int


@dataclass(frozen=True, slots=True)
class PendingPurge:
    """A loaded file that is to be deleted at its source, unless it changed since it was read.

    `connection_id` says how to reach it; None for a file of the lake itself.
    """

    job_id: str
    file: SourceFile
    connection_id: str | None
