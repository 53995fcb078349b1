"""Volumes and their directory tables, as plain data.

Invariant: a volume's url ends with '/', so that a file's url is the volume's and its path joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Volume:
    """An external or a named volume.

    `connection` is the name of the connection it was made with, `connection_id` the one that bears
    that name now: None when a forced DROP took it away, until another of that name is made.
    """

    id: str
    workspace: str
    schema: str
    name: str
    external: bool
    url: str
    creator: str
    created_at: datetime
    modified_at: datetime
    connection: str | None = None
    connection_id: str | None = None
    directory_enabled: bool = False
    auto_refresh: bool = False
    recursive: bool = False
    notification: Mapping[str, str] | None = None
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    refreshed_at: datetime | None = None
    """When the last look at the store began that its directory table shows; None before one."""
    directory_version: int = 0
    """The version of its directory table; 0 before the first one."""

    def __post_init__(self) -> None:
        if not self.url.endswith("/"):
            raise ValueError("the url of a volume must end with '/'")


@dataclass(frozen=True, slots=True)
class DirectoryFile:
    """One file in a volume's directory table."""

    relative_path: str
    url: str
    size: int
    modified_at: datetime
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class FileImage:
    """A file as a directory table showed it: since which version and since when."""

    file: DirectoryFile
    version: int
    seen_at: datetime | None
    """None for what was seen before there were versions."""

    def has_content_of(self, other: FileImage) -> bool:
        """Whether both show the same content, as far as a store tells without being read."""
        return _content(self.file) == _content(other.file)


def _content(file: DirectoryFile) -> tuple[int, datetime, str | None]:
    return file.size, file.modified_at, file.etag


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one version of a directory table did to one file: made, replaced or removed it."""

    version: int
    relative_path: str
    before: FileImage | None
    after: FileImage | None


@dataclass(frozen=True, slots=True)
class VolumeMessage:
    """A message of a volume's queue that could not be understood; `body` is its beginning."""

    message_id: str
    body: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DirectoryChange:
    """What a refresh did to a directory table, in files."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    late: bool = False
    """Whether it did nothing because what it saw is older than what the table shows."""

    @property
    def any(self) -> bool:
        """Whether there is a new version of the directory table."""
        return bool(self.added or self.changed or self.removed)
