"""From what each version did to a directory table to the smallest set of changes; pure.

Law: for two versions, the changes are what tells their contents apart, path by path. Applied to the
files at the first they give the files at the second, and any steps between them lead to the same.
Version and time belong to the image of a row: those of a row that is gone say when it was first
seen, not when it went.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from headwater.catalog.volumes import FileChange, FileImage


class ChangeType(StrEnum):
    """What `__change_type` says."""

    INSERT = "INSERT"
    UPDATE_BEFORE = "UPDATE_BEFORE"
    UPDATE_AFTER = "UPDATE_AFTER"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class NetChange:
    """One row of a stream over a volume."""

    type: ChangeType
    image: FileImage


def net_changes(changes: Iterable[FileChange]) -> list[NetChange]:
    """What is left of changes in the order of their versions, by path.

    A file that was made and removed was never there, and one that is again what it was has not
    changed.
    """
    before: dict[str, FileImage | None] = {}
    after: dict[str, FileImage | None] = {}
    for change in changes:
        before.setdefault(change.relative_path, change.before)
        after[change.relative_path] = change.after
    return [row for path in sorted(after) for row in _rows(before[path], after[path])]


def all_inserted(images: Iterable[FileImage]) -> list[NetChange]:
    """What is there, for a stream that has seen nothing of it yet."""
    return [NetChange(ChangeType.INSERT, image) for image in images]


def _rows(before: FileImage | None, after: FileImage | None) -> list[NetChange]:
    if before is None:
        return [] if after is None else [NetChange(ChangeType.INSERT, after)]
    if after is None:
        return [NetChange(ChangeType.DELETE, before)]
    if before.has_content_of(after):
        return []
    return [
        NetChange(ChangeType.UPDATE_BEFORE, before),
        NetChange(ChangeType.UPDATE_AFTER, after),
    ]
