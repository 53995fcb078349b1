"""A request to a store as data, and how its parts are spelled in an address; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

_UNRESERVED = "-_.~"


@dataclass(frozen=True, slots=True)
class Content:
    """What a request carries: some bytes, or a file that is read while it is sent."""

    size: int
    sha256: str
    md5: str
    """In base64; OSS and COS want it where S3 takes the other one."""
    source: bytes | Path
    start: int = 0
    """Where in the file it begins."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: `path` and `query` as they are meant, not yet encoded."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    content: Content | None = None


def encoded_path(path: str) -> str:
    """A path as it stands in an address: everything encoded but slashes and the safe characters."""
    return quote(path, safe="/" + _UNRESERVED)


def encoded(text: str) -> str:
    """A name or value of a query as it stands in an address."""
    return quote(text, safe=_UNRESERVED)
