"""Rows and bytes of a table as commits come in, from the commits alone where they say enough.

Law: totals after a commit = totals before + what it adds - what it removes. That needs the live
files only when a remove does not say what it was (Spark's plain overwrite, for one), or when an add
may repeat a live file (row tracking adds every file again, to number its rows).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater.catalog.objects import Totals
from headwater.lake.delta_log.actions import Commit, DataFile, FileId
from headwater.lake.delta_log.snapshot import FileSize, file_size

# These write new files although they change no data, so their adds repeat nothing.
_NEW_FILES = frozenset({"OPTIMIZE", "REORG"})


class RunningTotals:
    """The totals after each commit, in order; `load` gives the live files before the first one."""

    def __init__(self, totals: Totals, load: Callable[[], Mapping[FileId, FileSize]]) -> None:
        self._totals = totals
        self._load = load
        self._live: LiveFiles | None = None
        self._seen: list[Commit] = []
        self._sizes: dict[str, tuple[int, int]] = {}

    def after(self, commit: Commit) -> Totals:
        """The totals after `commit`."""
        if self._live is None and self._needs_files(commit):
            self._live = LiveFiles(self._load())
            for earlier in self._seen:
                self._live.apply(earlier)
        if self._live is not None:
            self._live.apply(commit)
            return self._live.totals
        self._seen.append(commit)
        removed = [self._size(file) for file in commit.removes]
        added = [file_size(file) for file in commit.adds]
        self._totals = Totals(
            rows=_moved(self._totals.rows, [s.rows for s in added], [s.rows for s in removed]),
            bytes=_moved(self._totals.bytes, [s.bytes for s in added], [s.bytes for s in removed]),
        )
        return self._totals

    def _needs_files(self, commit: Commit) -> bool:
        for file in commit.adds:
            # The file of a path never changes, only its deletion vector does: an add tells about
            # the remove of the same path.
            if file.records is not None and file.bytes is not None:
                self._sizes[file.id.path] = (file.records, file.bytes)
        repeats = any(not file.data_change for file in commit.adds)
        if repeats and commit.operation.upper() not in _NEW_FILES:
            return True
        if commit.removes and None in (self._totals.rows, self._totals.bytes):
            # The files whose size is unknown may be the ones that go.
            return True
        return any(None in self._size(file) for file in commit.removes)

    def _size(self, file: DataFile) -> FileSize:
        if file.rows is not None and file.bytes is not None:
            return file_size(file)
        known = self._sizes.get(file.id.path)
        return file_size(file) if known is None else FileSize(known[0] - file.deleted, known[1])


class LiveFiles:
    """The live files and their sums, kept at the cost of each commit, not of the table."""

    def __init__(self, files: Mapping[FileId, FileSize]) -> None:
        self._files = dict(files)
        self._rows = self._bytes = 0
        self._no_rows = self._no_bytes = 0
        for size in self._files.values():
            self._count(size, sign=1)

    @property
    def totals(self) -> Totals:
        """The sums, None while a live file does not state its part."""
        return Totals(
            rows=None if self._no_rows else self._rows,
            bytes=None if self._no_bytes else self._bytes,
        )

    def apply(self, commit: Commit) -> None:
        """Brings the files to the state after `commit`."""
        for file in commit.removes:
            self._forget(file.id)
        for file in commit.adds:
            self._forget(file.id)
            size = self._files[file.id] = file_size(file)
            self._count(size, sign=1)

    def _forget(self, file: FileId) -> None:
        size = self._files.pop(file, None)
        if size is not None:
            self._count(size, sign=-1)

    def _count(self, size: FileSize, *, sign: int) -> None:
        self._rows += sign * (size.rows or 0)
        self._bytes += sign * (size.bytes or 0)
        self._no_rows += sign * (size.rows is None)
        self._no_bytes += sign * (size.bytes is None)


def _moved(before: int | None, added: list[int | None], removed: list[int | None]) -> int | None:
    if before is None:
        return None
    for values, sign in ((added, 1), (removed, -1)):
        for value in values:
            if value is None:
                return None
            before += sign * value
    return before
