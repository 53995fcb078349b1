"""Where a Delta log lies: the few reads this package needs, and how a local folder answers them.

Invariant: a file that is not there is an answer (None or an empty list), never an exception; asking
for one version costs one request and never a listing.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.parse import unquote, urlsplit

LOG_FOLDER = "_delta_log"
HEAD_BYTES = 4096
_COMMIT = re.compile(r"(\d{20})\.json\Z")
_CHECKPOINT = re.compile(
    r"(\d{20})\.checkpoint(?:\.(?P<part>\d{10})\.(?P<parts>\d{10})|\.(?P<uuid>[0-9a-f-]{36}))?"
    r"\.(?:parquet|json)\Z"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete checkpoint: all of its files, named inside the log folder."""

    version: int
    names: tuple[str, ...]


class LogFiles(Protocol):
    """The log of one table on some store."""

    @property
    def table(self) -> str:
        """The table's folder as users know it, for messages."""

    def exists(self, version: int) -> bool:
        """Whether the commit of `version` is there."""

    def read_commit(self, version: int) -> str | None:
        """The whole text of a commit, or None."""

    def read_head(self, version: int) -> str | None:
        """The first few kilobytes of a commit, or None: enough to tell one log from another."""

    def modified_ms(self, version: int) -> int | None:
        """When the commit's file was written, for commits that do not say."""

    def list_commits(self) -> list[int]:
        """All versions whose commit is there, ascending."""

    def last_checkpoint(self) -> Checkpoint | None:
        """The checkpoint Delta's hint file names, if it is there; not always the newest."""

    def list_checkpoints(self) -> list[Checkpoint]:
        """All complete checkpoints, ascending."""

    def open(self, name: str) -> BinaryIO:
        """A file of the log folder, such as one of a checkpoint's."""


class LocalLogFiles:
    """The log of a table in a local folder, given as a path or a `file:` URL."""

    def __init__(self, location: str | Path) -> None:
        self._table = str(location)
        self._folder = local_path(self._table) / LOG_FOLDER
        # Joining paths with pathlib costs more than asking the file system.
        self._prefix = f"{self._folder}/"

    @property
    def table(self) -> str:
        return self._table

    def exists(self, version: int) -> bool:
        return Path(self._prefix + commit_name(version)).exists()

    def read_commit(self, version: int) -> str | None:
        return self._read(version, size=-1)

    def read_head(self, version: int) -> str | None:
        return self._read(version, size=HEAD_BYTES)

    def modified_ms(self, version: int) -> int | None:
        try:
            return (self._folder / commit_name(version)).stat().st_mtime_ns // 1_000_000
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list_commits(self) -> list[int]:
        return listed_commits(self._names())

    def last_checkpoint(self) -> Checkpoint | None:
        try:
            text = (self._folder / "_last_checkpoint").read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        found = parse_last_checkpoint(text)
        if found is None or not all((self._folder / name).exists() for name in found.names):
            return None
        return found

    def list_checkpoints(self) -> list[Checkpoint]:
        return complete_checkpoints(self._names())

    def open(self, name: str) -> BinaryIO:
        return (self._folder / name).open("rb")

    def _read(self, version: int, *, size: int) -> str | None:
        try:
            with open(self._prefix + commit_name(version), "rb", buffering=0) as file:
                content = file.readall() if size < 0 else file.read(size)
        except (FileNotFoundError, NotADirectoryError):
            return None
        # A character cut in half is the parser's to report, with the table and the version.
        return (content or b"").decode("utf-8", errors="replace")

    def _names(self) -> list[str]:
        try:
            return [path.name for path in self._folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []


def commit_name(version: int) -> str:
    """The file name of a commit."""
    return f"{version:020d}.json"


def listed_commits(names: Iterable[str]) -> list[int]:
    """The versions of the commits in a listing, ascending."""
    return sorted(int(m[1]) for name in names if (m := _COMMIT.match(name)))


def local_path(location: str) -> Path:
    """The folder of a plain path or a `file:` URL."""
    if location.startswith("file:"):
        return Path(unquote(urlsplit(location).path))
    return Path(location)


def folder_path(location: str) -> str:
    """The path of a location without its store; locations but `file:` URLs are not encoded.

    >>> folder_path("s3a://bucket/50% off/t"), folder_path("file:///a%20b"), folder_path("/a b")
    ('/50% off/t', '/a b', '/a b')
    """
    store, mark, path = location.partition("://")
    if mark and store != "file":
        return "/" + path.partition("/")[2]
    return str(local_path(location))


def parse_last_checkpoint(text: str) -> Checkpoint | None:
    """What Delta's hint file names; None when it is damaged, because it is only a hint."""
    try:
        hint = json.loads(text)
        version = int(hint["version"])
        newer = hint.get("v2Checkpoint")
        parts = int(hint.get("parts") or 0)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if newer is not None:
        return Checkpoint(version, (str(newer["path"]),)) if "path" in newer else None
    stem = f"{version:020d}.checkpoint"
    if not parts:
        return Checkpoint(version, (f"{stem}.parquet",))
    return Checkpoint(
        version, tuple(f"{stem}.{i:010d}.{parts:010d}.parquet" for i in range(1, parts + 1))
    )


def complete_checkpoints(names: Iterable[str]) -> list[Checkpoint]:
    """The checkpoints of a listing that have all their parts, ascending by version."""
    found: list[Checkpoint] = []
    partial: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for name in names:
        match = _CHECKPOINT.match(name)
        if match is None:
            continue
        version = int(match[1])
        if match["parts"] is None:
            found.append(Checkpoint(version, (name,)))
        else:
            partial[version, int(match["parts"])].append(name)
    for (version, parts), pieces in partial.items():
        if len(pieces) == parts:
            found.append(Checkpoint(version, tuple(sorted(pieces))))
    return sorted(found, key=lambda checkpoint: checkpoint.version)
