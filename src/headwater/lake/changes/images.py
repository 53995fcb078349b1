"""Which files, or which rows of them, hold what a range of commits added and took away.

Law: for every row, the images that came less the images that went are the row's copies at the end
less those at the start. That holds for the images of the commits and for those of both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.lake.changes.commits import LoggedCommit, LoggedFile

CAME, WENT = 1, -1


@dataclass(frozen=True, slots=True)
class WholeFile:
    """All rows of a file came or went with a commit."""

    file: LoggedFile
    sign: int
    version: int
    appended: bool = False
    """The commit took nothing away: the rows are new, not rewritten ones."""


@dataclass(frozen=True, slots=True)
class ChangedVector:
    """A file stayed and its deletion vector changed: the rows by which both differ came or went."""

    file: LoggedFile
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    version: int
    """Of the rows that came."""
    went_at: int
    """Of the rows that went."""


Image = WholeFile | ChangedVector


def images_of_commits(commits: Iterable[LoggedCommit]) -> tuple[Image, ...]:
    """What each commit added and took away."""
    images: list[Image] = []
    for commit in commits:
        if not commit.changes_data:
            continue
        removed = {file.id.path: file for file in commit.removes}
        for file in commit.adds:
            before = removed.pop(file.id.path, None)
            images.extend(_image(before, file, commit=commit, went_at=commit.version))
        images.extend(WholeFile(file, WENT, commit.version) for file in removed.values())
    return tuple(images)


def images_of_ends(commits: Iterable[LoggedCommit], *, from_version: int) -> tuple[Image, ...]:
    """What is there at the end and was not at the start, and the other way round.

    A file that came and went in between is not read, and one whose vector changed often is read
    once. Commits that move rows must not be among them: those would be read from both places.
    """
    first: dict[str, LoggedFile | None] = {}
    last: dict[str, LoggedFile] = {}
    came: dict[str, LoggedCommit] = {}
    for commit in commits:
        if not commit.changes_data:
            continue
        for file in commit.removes:
            first.setdefault(file.id.path, file)
        gone = {file.id.path: last.pop(file.id.path, None) for file in commit.removes}
        for file in commit.adds:
            path = file.id.path
            first.setdefault(path, None)
            last[path] = file
            # A file whose vector changes came when it came, if that was in the range.
            came[path] = came[path] if gone.get(path) is not None and path in came else commit
    images: list[Image] = []
    for path, before in first.items():
        if path in last:
            commit = came[path]
            images.extend(_image(before, last[path], commit=commit, went_at=from_version))
        elif before is not None:
            images.append(WholeFile(before, WENT, from_version))
    return tuple(images)


def only_came(images: Iterable[Image]) -> bool:
    """Whether nothing went, as far as the log tells."""
    return all(
        image.sign == CAME if isinstance(image, WholeFile) else image.after is None
        for image in images
    )


def rewrites(images: Iterable[Image]) -> bool:
    """Whether files were replaced by others, which may hold most of their rows again."""
    whole = [image for image in images if isinstance(image, WholeFile)]
    came = any(image.sign == CAME and not image.appended for image in whole)
    return came and any(image.sign == WENT for image in whole)


def _image(
    before: LoggedFile | None, file: LoggedFile, *, commit: LoggedCommit, went_at: int
) -> Iterable[Image]:
    if before is None:
        yield WholeFile(file, CAME, commit.version, appended=not commit.removes)
    elif before.id != file.id:
        yield ChangedVector(file, before.vector, file.vector, commit.version, went_at)
