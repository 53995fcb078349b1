"""Where files are: a volume's location, and paths inside a volume.

Law: a path that passes stays inside its volume as it is typed. Nothing here or later decodes a
path, so `%2F` in a file's name is five characters; in a location, which tools outside do decode, it
is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.errors import Span, ValueRejected

_SCHEMES = {
    "oss": "oss",
    "cos": "cos",
    "cosn": "cos",
    "s3": "s3",
    "s3a": "s3",
    "s3n": "s3",
    "file": "file",
}
_LOCATION = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://([^/]*)(?:/(.*))?", re.DOTALL)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]*")
_ENCODED = re.compile(r"%(?:2f|2e|5c|00)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_STEPS = (".", "..")


@dataclass(frozen=True, slots=True)
class Location:
    """The folder of an external volume; `path` has no slash before it and one behind, or is empty.

    `bucket` is empty for a folder of this machine.
    """

    scheme: str
    bucket: str
    path: str

    @property
    def is_bucket_root(self) -> bool:
        """Whether it is the whole bucket."""
        return not self.path

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}/{self.path}"


def read_location(text: str, *, span: Span | None = None) -> Location:
    """The location that `text` says, or an error at `span`.

    >>> str(read_location("s3a://bucket/folder"))
    's3://bucket/folder/'
    """
    match = _LOCATION.fullmatch(text)
    if match is None:
        raise _bad_location(text, "it has no scheme", span)
    scheme, bucket, path = match[1].lower(), match[2], match[3] or ""
    if scheme not in _SCHEMES:
        raise _bad_location(text, f"there is no scheme {scheme}", span)
    problem = _problem_of_bucket(scheme, bucket) or _problem_of_folder(path)
    if problem is None and scheme == "file" and not path.strip("/"):
        problem = "it is the whole machine"
    if problem is not None:
        raise _bad_location(text, problem, span)
    folder = path if not path or path.endswith("/") else f"{path}/"
    return Location(_SCHEMES[scheme], bucket, folder)


def _problem_of_bucket(scheme: str, bucket: str) -> str | None:
    if scheme == "file":
        return "a folder of this machine is written file:///<folder>/" if bucket else None
    if "@" in bucket:
        return "credentials belong into a connection"
    return None if _BUCKET.fullmatch(bucket) else "it names no bucket"


def _problem_of_folder(path: str) -> str | None:
    if any(step in _STEPS for step in path.split("/")):
        return "'.' and '..' are no folders"
    if path.startswith("/") or "//" in path:
        return "it has an empty folder between two slashes"
    if "\\" in path:
        return "folders are separated by /"
    if _ENCODED.search(path):
        return "it holds an encoded separator"
    return "it holds a control character" if _CONTROL.search(path) else None


def _bad_location(text: str, problem: str, span: Span | None) -> ValueRejected:
    return ValueRejected("LOCATION_NOT_ALLOWED", location=text, problem=problem, span=span)


def relative_path(text: str, *, span: Span | None = None) -> str:
    """The path of a file in a volume, without a slash before it."""
    path = text.lstrip("/")
    problem = _problem_of_path(path)
    if not path or path.endswith("/"):
        problem = problem or "it names no file"
    if problem is not None:
        raise ValueRejected("PATH_NOT_ALLOWED", path=text, problem=problem, span=span)
    return path


def relative_folder(text: str, *, span: Span | None = None) -> str:
    """The path of a folder in a volume: with a slash behind it and none before; '' is its root.

    >>> relative_folder("/"), relative_folder("a/b")
    ('', 'a/b/')
    """
    path = text.strip("/")
    problem = _problem_of_path(path)
    if problem is not None:
        raise ValueRejected("PATH_NOT_ALLOWED", path=text, problem=problem, span=span)
    return f"{path}/" if path else ""


def _problem_of_path(path: str) -> str | None:
    if _URL.match(path):
        return "it is a URL"
    if any(step in _STEPS for step in path.split("/")):
        return "'.' and '..' are no folders"
    return "it holds a NUL character" if "\0" in path else None
