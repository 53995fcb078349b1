"""Which reader a range of commits needs, told by the log alone: no Spark, no job.

Invariant: what is classified can be read right in the table's schema at the end of the range;
a range of which that is not true is an error here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from headwater.errors import SchemaError, UserError
from headwater.lake.changes.commits import LoggedCommit, gone, read_commits
from headwater.lake.changes.images import (
    CAME,
    Image,
    WholeFile,
    images_of_commits,
    images_of_ends,
    only_came,
)
from headwater.lake.changes.ranges import NETTED, ChangeRange, Reader, Wanted
from headwater.lake.changes.schemas import keeps_row_ids, unreadable_because
from headwater.lake.delta_log.actions import Metadata
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.snapshot import read_metadata


@dataclass(frozen=True, slots=True)
class Classified:
    """How a range is to be read, and the files in which its rows are."""

    range: ChangeRange
    wanted: Wanted
    reader: Reader
    insert_only: bool
    """All changes are inserted rows."""
    minimal: bool
    """No two changes cancel each other."""
    reason: str
    images: tuple[Image, ...] = ()
    row_ids: bool = False
    """Rows carry ids and the versions of their images."""

    @property
    def added(self) -> dict[int, tuple[str, ...]]:
        """The paths of the files whose rows all came, by the version of their commit."""
        found: dict[int, tuple[str, ...]] = {}
        for image in self.images:
            if _came(image):
                found[image.version] = (*found.get(image.version, ()), image.file.id.path)
        return found


def classify(
    files: LogFiles, range: ChangeRange, wanted: Wanted, *, name: str | None = None
) -> Classified:
    """How the changes of a range are read; `name` is the table's in messages.

    Raises:
        SchemaError: CHANGES_GONE when a commit of the range is missing, CHANGES_SCHEMA_CHANGED
            when rows from before cannot be read in the schema at the end.
        UserError: CHANGES_NOT_TRACKED when rows have no ids and single changes are asked for.
    """
    nothing = Classified(
        range, wanted, Reader.NOTHING, insert_only=True, minimal=True, reason="no commit"
    )
    if range.is_empty:
        return nothing
    table = name or files.table
    commits = read_commits(files, range)
    images = _images(commits, range, wanted)
    if not images:
        return replace(nothing, reason="no commit changed rows")
    definitions = _Definitions(files, table, range, commits)
    definitions.check(images)
    if only_came(images):
        return Classified(
            range,
            wanted,
            Reader.ADDED_FILES,
            insert_only=True,
            minimal=True,
            reason="rows only came",
            images=images,
            row_ids=not _is_appended(images) and definitions.keep_row_ids,
        )
    if definitions.keep_row_ids:
        reader, reason = Reader.ROW_TRACKING, "rows came and went, and have ids"
    elif wanted in NETTED:
        reader, reason = Reader.FILE_DIFFERENCE, "rows came and went, and have no ids"
    else:
        raise UserError("CHANGES_NOT_TRACKED", table=table, version=range.from_version)
    return Classified(
        range,
        wanted,
        reader,
        insert_only=wanted is Wanted.INSERTED,
        minimal=reader is Reader.FILE_DIFFERENCE and wanted is Wanted.NET,
        reason=reason,
        images=images,
        row_ids=reader is Reader.ROW_TRACKING,
    )


def _images(
    commits: Sequence[LoggedCommit], range: ChangeRange, wanted: Wanted
) -> tuple[Image, ...]:
    """The images of the commits, or of both ends where that is enough and reads less."""
    images = images_of_commits(commits)
    moved = any(commit.moves_rows for commit in commits)
    if wanted not in NETTED or moved or only_came(images):
        return images
    ends = images_of_ends(commits, from_version=range.from_version)
    # Rows that came back were written before: only the commits tell when they came.
    return images if ends and any(commit.restores for commit in commits) else ends


def _is_appended(images: Iterable[Image]) -> bool:
    """Whether each row was written by the commit of its file."""
    return all(isinstance(image, WholeFile) and image.appended for image in images)


class _Definitions:
    """The table's definitions from the start of a range to its end."""

    def __init__(
        self, files: LogFiles, table: str, range: ChangeRange, commits: Sequence[LoggedCommit]
    ) -> None:
        self._files = files
        self._table = table
        self._range = range
        self._changed = [(c.version, c.metadata) for c in commits if c.metadata is not None]

    @cached_property
    def _all(self) -> list[tuple[int, Metadata]]:
        """Each with the version that gave it, the one at the start first."""
        start = self._range.from_version
        if start < 0:
            return self._changed
        try:
            first = read_metadata(self._files, start)
        except UserError as error:
            if error.condition != "DELTA_LOG_INCOMPLETE":
                raise
            reason = f"the log does not say how the table looked at version {start}"
            raise gone(self._table, self._range, reason) from error
        return self._changed if first is None else [(start, first), *self._changed]

    @cached_property
    def keep_row_ids(self) -> bool:
        """Whether rows have ids all the way."""
        return keeps_row_ids([metadata for _, metadata in self._all])

    def check(self, images: Iterable[Image]) -> None:
        """Raises CHANGES_SCHEMA_CHANGED if the files of an image cannot be read at the end."""
        if not self._changed:
            return
        oldest = _oldest(images, self._range.from_version)
        now = self._all[-1][1]
        for (_, written), (version, following) in pairwise(self._all):
            reason = unreadable_because(written, following, now) if version > oldest else None
            if reason is not None:
                raise SchemaError(
                    "CHANGES_SCHEMA_CHANGED", table=self._table, version=version, reason=reason
                )


def _oldest(images: Iterable[Image], from_version: int) -> int:
    """The version under whose definition the oldest of the files can be read.

    Files that were there at the start could be read there, whenever they were written.
    """
    came: dict[str, int] = {}
    oldest: list[int] = []
    for image in images:
        if _came(image):
            came[image.file.id.path] = image.version
        oldest.append(came.get(image.file.id.path, from_version))
    return min(oldest)


def _came(image: Image) -> bool:
    return isinstance(image, WholeFile) and image.sign == CAME
