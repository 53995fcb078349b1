"""The local files that PUT sends: paths and patterns become files that exist."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import UserError

MOST_BYTES = 5 * 1024**4
"""The largest object of a store."""


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A file of this machine."""

    path: Path
    size: int


def local_sources(patterns: Iterable[str]) -> list[LocalSource]:
    """The files that the paths and patterns name, each once, in the order of the patterns.

    A path that exists is that file, whatever characters its name holds.
    """
    found: dict[Path, LocalSource] = {}
    for pattern in patterns:
        for path in _matching(os.path.expanduser(pattern)):
            source = _source(path)
            found.setdefault(path.absolute(), source)
    return list(found.values())


def _matching(pattern: str) -> Sequence[Path]:
    if os.path.lexists(pattern) or not glob.has_magic(pattern):
        return [Path(pattern)]
    paths = [Path(name) for name in sorted(glob.glob(pattern))]
    files = [path for path in paths if not path.is_dir()]
    if not files:
        raise UserError("LOCAL_FILES_NOT_FOUND", pattern=pattern)
    return files


def _source(path: Path) -> LocalSource:
    try:
        seen = path.stat()
    except OSError as error:
        raise UserError("LOCAL_FILE_UNREADABLE", path=path, reason=error.strerror) from None
    if not stat.S_ISREG(seen.st_mode):
        raise UserError("LOCAL_PATH_NOT_A_FILE", path=path)
    if seen.st_size > MOST_BYTES:
        raise UserError("LOCAL_FILE_TOO_LARGE", path=path, size=seen.st_size)
    return LocalSource(path, seen.st_size)
