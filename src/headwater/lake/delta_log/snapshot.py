"""The state of a table at one version: its live files and its definition.

Invariant: the same answer as replaying every commit from the first, at the cost of one checkpoint
and the commits after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.catalog.objects import Totals
from headwater.errors import UserError
from headwater.lake.delta_log.actions import (
    Commit,
    DataFile,
    DomainMetadata,
    FileId,
    Metadata,
    parse_commit,
)
from headwater.lake.delta_log.checkpoint import read_checkpoint, read_checkpoint_metadata
from headwater.lake.delta_log.files import Checkpoint, LogFiles

CLUSTERING = "delta.clustering"


class FileSize(NamedTuple):
    """What a live file counts for in the totals; None where the log does not say."""

    rows: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at `version`; `clustering` is the configuration of its clustering domain."""

    version: int
    metadata: Metadata | None = None
    files: Mapping[FileId, FileSize] = field(default_factory=dict)
    clustering: str | None = None

    @property
    def totals(self) -> Totals:
        """Rows and bytes of the live files."""
        sizes = self.files.values()
        return Totals(
            rows=_sum(size.rows for size in sizes), bytes=_sum(size.bytes for size in sizes)
        )


def read_snapshot(files: LogFiles, version: int) -> Snapshot:
    """The table at `version`; -1 is the table before its first commit."""
    metadata: Metadata | None = None
    clustering: str | None = None
    live: dict[FileId, FileSize] = {}
    first = 0
    checkpoint = None if version < 0 else newest_checkpoint(files, version)
    if checkpoint is not None:
        state = read_checkpoint(files, checkpoint)
        metadata = state.metadata
        clustering = clustering_after(None, state.domains)
        live = {file.id: file_size(file) for file in state.files}
        first = checkpoint.version + 1
    for number in range(first, version + 1):
        commit = _read(files, number)
        metadata = commit.metadata or metadata
        clustering = clustering_after(clustering, commit.domain_metadata)
        replay(live, commit)
    return Snapshot(version, metadata, live, clustering)


def read_metadata(files: LogFiles, version: int) -> Metadata | None:
    """The table's definition at `version`, at the cost of the commits since it was given.

    Raises:
        UserError: DELTA_LOG_INCOMPLETE when neither they nor a checkpoint are there.
    """
    checkpoint = newest_checkpoint(files, version)
    for number in range(version, -1 if checkpoint is None else checkpoint.version, -1):
        text = files.read_commit(number)
        if text is None:
            raise UserError("DELTA_LOG_INCOMPLETE", table=files.table, version=version)
        # Most commits do not define the table: it takes no parser to see that.
        if '"metaData"' in text:
            found = parse_commit(text, number, table=files.table).metadata
            if found is not None:
                return found
    return None if checkpoint is None else read_checkpoint_metadata(files, checkpoint)


def newest_checkpoint(files: LogFiles, version: int) -> Checkpoint | None:
    """The newest complete checkpoint at or below `version` that the hint or a listing shows."""
    hint = files.last_checkpoint()
    if hint is not None and hint.version <= version:
        return hint
    return max(
        (found for found in files.list_checkpoints() if found.version <= version),
        key=lambda found: found.version,
        default=None,
    )


def replay(live: dict[FileId, FileSize], commit: Commit) -> None:
    """Brings `live` to the state after `commit`; adding a live file again replaces it."""
    for file in commit.removes:
        live.pop(file.id, None)
    for file in commit.adds:
        live[file.id] = file_size(file)


def file_size(file: DataFile) -> FileSize:
    """What a file counts for."""
    return FileSize(file.rows, file.bytes)


def clustering_after(clustering: str | None, domains: Iterable[DomainMetadata]) -> str | None:
    """The clustering configuration after some domain actions."""
    for domain in domains:
        if domain.domain == CLUSTERING:
            clustering = None if domain.removed else domain.configuration
    return clustering


def _read(files: LogFiles, version: int) -> Commit:
    text = files.read_commit(version)
    if text is None:
        raise UserError("DELTA_LOG_INCOMPLETE", table=files.table, version=version)
    return parse_commit(text, version, table=files.table)


def _sum(values: Iterable[int | None]) -> int | None:
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total
