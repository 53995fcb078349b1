"""The folder of a table: its log and its files, wherever they lie; how a local folder answers.

Invariant: paths are those below the folder, decoded. A file that is not there is an answer and
never an exception.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from headwater.lake.delta_log.files import LOG_FOLDER, LocalLogFiles, LogFiles, local_path


class TableFolder(Protocol):
    """The folder of one table on some store."""

    @property
    def log(self) -> LogFiles:
        """The table's log."""
        ...

    def first_missing(self, paths: Sequence[str]) -> str | None:
        """The first of these files that is not there; None if all are."""
        ...

    def sizes(self) -> Iterator[tuple[str, int]]:
        """All files but those of logs, with their sizes."""
        ...

    def written_since(self, since: float) -> Iterator[str]:
        """The files but those of logs that are known to be written since a time of this machine.

        None where another clock gives files their times: a live file must not be taken for one.
        """
        ...

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; one that is not there counts as removed."""
        ...

    def remove_all(self) -> bool:
        """Remove the folder with everything in it; whether all of it is gone."""
        ...


class TablePlaces(Protocol):
    """Where tables may be: from a location, as Spark takes it, to the folder there."""

    def folder(self, location: str) -> TableFolder:
        """The folder at a location; nothing is asked of a store yet."""
        ...


class LocalFolder:
    """A folder of this machine, given as a path or a `file:` URL."""

    def __init__(self, location: str | Path) -> None:
        self._location = str(location)
        self._path = local_path(self._location)

    @property
    def log(self) -> LogFiles:
        return LocalLogFiles(self._location)

    def first_missing(self, paths: Sequence[str]) -> str | None:
        return next((path for path in paths if not (self._path / path).exists()), None)

    def sizes(self) -> Iterator[tuple[str, int]]:
        return ((path, seen.st_size) for path, seen in self._files())

    def written_since(self, since: float) -> Iterator[str]:
        return (path for path, seen in self._files() if seen.st_mtime >= since)

    def remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._remove(self._path / path)

    def remove_all(self) -> bool:
        shutil.rmtree(self._path, ignore_errors=True)
        return not self._path.exists()

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        for parent, folders, names in os.walk(self._path):
            folders[:] = [name for name in folders if name != LOG_FOLDER]
            for name in names:
                path = Path(parent, name)
                yield path.relative_to(self._path).as_posix(), path.stat()

    def _remove(self, path: Path) -> None:
        """The file, the checksum that Hadoop put beside it, and folders that held nothing else."""
        path.unlink(missing_ok=True)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        for parent in path.parents:
            if parent == self._path or not parent.is_relative_to(self._path):
                return
            try:
                parent.rmdir()
            except OSError:
                return


class LocalPlaces:
    """Every table is on this machine."""

    def folder(self, location: str) -> TableFolder:
        return LocalFolder(location)
