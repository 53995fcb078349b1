"""Which of the files in a store a pipe loads next. Pure.

Law: a path that the load history has as loaded is not loaded again, unless the file was replaced
and the pipe says ON_REPLACED = LOAD. A broken file waits until it is replaced or the pipe changed,
one that its user skips until it is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto

from headwater.catalog.load_history import LoadedFile, LoadStatus
from headwater.sql.pipe_properties import OnReplaced
from headwater.storage.store import FileInfo

MEGABYTE = 1 << 20


class Verdict(Enum):
    """What a pipe does with a file."""

    NEW = auto()
    KNOWN = auto()
    REPLACED = auto()
    """Another file than the one that was loaded from this path, and not to be loaded."""
    FORBIDDEN = auto()
    """The same, for a pipe that takes it for a mistake."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the pipe says about files it has seen before."""

    on_replaced: OnReplaced = OnReplaced.SKIP
    failed_since: datetime | None = None
    """Failures before this moment are forgotten: the pipe was changed since."""
    retry_failed: bool = False
    """Whether a broken file stops the pipe (ABORT), so that it is tried again by resuming it."""


def verdict(file: FileInfo, history: Sequence[LoadedFile], rules: Rules) -> Verdict:
    """What to do with a file, by what the load history has about its path."""
    loaded = [entry for entry in history if entry.status is LoadStatus.LOADED]
    if any(_untouched(file, entry) for entry in loaded):
        return Verdict.KNOWN
    if any(entry.status is LoadStatus.LOADING for entry in history):
        return Verdict.KNOWN
    if any(entry.is_skip_order and _same(file, entry) for entry in history):
        return Verdict.KNOWN
    if loaded and rules.on_replaced is OnReplaced.SKIP:
        return Verdict.REPLACED
    if loaded and rules.on_replaced is OnReplaced.FAIL:
        return Verdict.FORBIDDEN
    failed = (e for e in history if e.status is LoadStatus.LOAD_FAILED and _same(file, e))
    newest = next(failed, None)
    if newest is not None and not _again(newest, rules):
        return Verdict.KNOWN
    return Verdict.NEW


def _same(file: FileInfo, entry: LoadedFile) -> bool:
    return entry.file.etag is None or entry.file.etag == file.etag


def _untouched(file: FileInfo, entry: LoadedFile) -> bool:
    """Whether it is the file that was loaded, and not a copy of it that came again.

    Stores tell times to the second in one answer and more exactly in another.
    """
    if not _same(file, entry) or entry.file.modified_at is None:
        return _same(file, entry)
    return int(entry.file.modified_at.timestamp()) == int(file.modified_at.timestamp())


def _again(failed: LoadedFile, rules: Rules) -> bool:
    forgotten = rules.failed_since is not None and failed.loaded_at < rules.failed_since
    return rules.retry_failed or forgotten


def is_temporary(path: str) -> bool:
    """Whether IGNORE_TMP_FILE leaves a file out: it, or a folder on its way, is marked as such.

    >>> is_temporary("a/_temporary_1/x.csv"), is_temporary("a/.SUCCESS"), is_temporary("_x.csv")
    (True, True, False)
    """
    return any(segment.startswith((".", "_temporary")) for segment in path.split("/"))


@dataclass(slots=True)
class Choice:
    """A batch being filled, bounded by files and bytes; a single bigger file is a batch alone."""

    most_files: int
    most_bytes: int
    files: list[FileInfo] = field(default_factory=list)
    bytes: int = 0
    full: bool = False

    def take(self, found: Iterable[FileInfo]) -> FileInfo | None:
        """Add files while there is room; gives back the first one that has to wait, if any."""
        for file in found:
            if not self._fits(file):
                self.full = True
                return file
            self.files.append(file)
            self.bytes += file.size
        return None

    def _fits(self, file: FileInfo) -> bool:
        if not self.files:
            return True
        return len(self.files) < self.most_files and self.bytes + file.size <= self.most_bytes


def sort_out(
    page: Iterable[FileInfo],
    history: Mapping[str, Sequence[LoadedFile]],
    rules: Rules,
) -> dict[Verdict, list[FileInfo]]:
    """The files of a page by what is to be done with them; `history` is by the path in the page."""
    found: dict[Verdict, list[FileInfo]] = {each: [] for each in Verdict}
    for file in page:
        found[verdict(file, history.get(file.path, ()), rules)].append(file)
    return found
