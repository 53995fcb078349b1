"""The commits of a range with everything the log says of their files.

Invariant: a commit of the range that is not there is an error. A gap would lose changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.errors import SchemaError
from headwater.lake.changes.ranges import ChangeRange
from headwater.lake.delta_log.actions import (
    FileId,
    Metadata,
    file_id,
    parse_metadata,
    read_actions,
)
from headwater.lake.delta_log.files import LogFiles


@dataclass(frozen=True, slots=True)
class LoggedFile:
    """A file that a commit adds or removes; `body` is the action as it stands in the log."""

    id: FileId
    body: Mapping[str, Any]

    @property
    def vector(self) -> Mapping[str, Any] | None:
        """Where the file's deletion vector is."""
        found: Mapping[str, Any] | None = self.body.get("deletionVector")
        return found

    @property
    def changes_data(self) -> bool:
        """Whether the writer meant to change rows, and not only where they lie."""
        return bool(self.body.get("dataChange", True))


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """What one commit did to the table's files and to its definition."""

    version: int
    adds: tuple[LoggedFile, ...] = ()
    removes: tuple[LoggedFile, ...] = ()
    metadata: Metadata | None = None
    restores: bool = False
    """It brings back what was there before."""

    @property
    def changes_data(self) -> bool:
        """Whether rows may be others after it."""
        return any(file.changes_data for file in (*self.adds, *self.removes))

    @property
    def moves_rows(self) -> bool:
        """Whether it puts the same rows into other files, as OPTIMIZE does."""
        return bool(self.removes) and not self.changes_data


def read_commits(files: LogFiles, changes: ChangeRange) -> tuple[LoggedCommit, ...]:
    """The commits of a range, in order; SchemaError CHANGES_GONE if one is missing."""
    versions = range(changes.from_version + 1, changes.to_version + 1)
    return tuple(_read(files, changes, version=version) for version in versions)


def gone(table: str, changes: ChangeRange, reason: str) -> SchemaError:
    """The error for a range that can no longer be read."""
    return SchemaError(
        "CHANGES_GONE",
        table=table,
        from_version=changes.from_version,
        to_version=changes.to_version,
        reason=reason,
    )


def _read(files: LogFiles, changes: ChangeRange, *, version: int) -> LoggedCommit:
    text = files.read_commit(version)
    if text is None:
        raise gone(files.table, changes, f"the log has no commit {version}")
    adds: list[LoggedFile] = []
    removes: list[LoggedFile] = []
    metadata: Metadata | None = None
    restores = False
    for action in read_actions(text, version, table=files.table):
        if "add" in action:
            adds.append(_file(action["add"]))
        elif "remove" in action:
            removes.append(_file(action["remove"]))
        elif "metaData" in action:
            metadata = parse_metadata(action["metaData"])
        elif "commitInfo" in action:
            restores = action["commitInfo"].get("operation") == "RESTORE"
    return LoggedCommit(version, tuple(adds), tuple(removes), metadata, restores)


def _file(body: Mapping[str, Any]) -> LoggedFile:
    return LoggedFile(file_id(body), body)
