"""Reading LOCATION: `s3://bucket/folder/`, `oss://..`, `cos://..`, `file:///folder/`; pure.

Invariant: an address names one folder literally. Whatever another reader of the same text might
take for something else (`..`, encoded separators, a query) is refused instead of interpreted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from headwater.errors import UserError

_BUCKET = re.compile(r"[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9._-]{1,62}\Z")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ENCODED = re.compile(r"%(2f|2e|5c|[01][0-9a-f]|7f)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DOTS = frozenset({".", ".."})


class Scheme(StrEnum):
    """The kinds of store, as LOCATION spells them."""

    FILE = "file"
    S3 = "s3"
    OSS = "oss"
    COS = "cos"


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A folder of a store; `prefix` is empty or ends with a slash, and never starts with one."""

    scheme: Scheme
    bucket: str
    """Empty for local files."""
    prefix: str

    @property
    def url(self) -> str:
        """The address as LOCATION would spell it, with a slash at the end."""
        return f"{self.scheme}://{self.bucket}/{self.prefix}"

    def url_of(self, path: str) -> str:
        """The full address of a file of this folder."""
        return self.url + path

    @property
    def is_bucket_root(self) -> bool:
        """Whether this is a whole bucket, or the whole file system."""
        return not self.prefix

    def below(self, folder: str) -> StoreAddress:
        """The address of a folder inside this one."""
        return StoreAddress(self.scheme, self.bucket, self.prefix + checked_folder(folder))


def parse_location(location: str) -> StoreAddress:
    """The folder that LOCATION names, with or without a slash at the end.

    >>> parse_location("s3://sales/2026").url
    's3://sales/2026/'
    """
    found = _SCHEME.match(location)
    if found is None:
        raise _refused(location, "it does not start with oss://, cos://, s3:// or file://")
    scheme = found[1].lower()
    if scheme not in set(Scheme):
        raise _refused(location, f"'{scheme}' is not one of oss, cos, s3 and file")
    if not location.startswith("://", found.end() - 1):
        raise _refused(location, f"there is no // behind {scheme}:")
    bucket, _, folder = location[found.end() + 2 :].partition("/")
    _refuse_tricks(location, bucket, folder)
    if scheme == Scheme.FILE:
        if bucket:
            raise _refused(location, "file:// is for this machine, it takes no host")
    elif not _BUCKET.match(bucket):
        raise _refused(location, f"'{bucket}' cannot be the name of a bucket")
    return StoreAddress(Scheme(scheme), bucket, folder and folder.removesuffix("/") + "/")


def _refuse_tricks(location: str, bucket: str, folder: str) -> None:
    if "@" in bucket:
        raise _refused(location, "it holds a user name; credentials belong into a connection")
    if _CONTROL.search(location):
        raise _refused(location, "it holds a control character")
    if "?" in location or "#" in location:
        raise _refused(location, "it holds ? or #")
    if "\\" in location:
        raise _refused(location, "it holds a backslash")
    if _ENCODED.search(location):
        raise _refused(location, "it holds an encoded separator, dot or control character")
    _refuse_unencodable(location)
    for segment in folder.removesuffix("/").split("/") if folder else ():
        if not segment:
            raise _refused(location, "it holds an empty folder name")
        if segment in _DOTS:
            raise _refused(location, f"it holds '{segment}'")


def _refuse_unencodable(location: str) -> None:
    try:
        location.encode()
    except UnicodeEncodeError:
        raise _refused(location, "it is not valid Unicode") from None


def _refused(location: str, reason: str) -> UserError:
    return UserError("LOCATION_REFUSED", location=_shown(location), reason=reason)


def _shown(location: str) -> str:
    """The location without a user name and password that should not be there."""
    shown = re.sub(r"//[^/]*@", "//****@", location)
    return _CONTROL.sub("?", shown).encode(errors="replace").decode()


def checked_path(path: str) -> str:
    """`path` if it can be the path of a file below a store's folder."""
    if not path:
        raise _path_refused(path, "it is empty")
    if path.endswith("/"):
        raise _path_refused(path, "it ends with a slash, so it is a folder")
    _check_segments(path)
    return path


def checked_folder(folder: str) -> str:
    """`folder` with a slash at its end, or empty, if it can be a folder below a store's folder."""
    folder = folder.removesuffix("/")
    if not folder:
        return ""
    _check_segments(folder)
    return folder + "/"


def _check_segments(path: str) -> None:
    if "\0" in path:
        raise _path_refused(path.replace("\0", "?"), "it holds a zero character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise _path_refused(
            path.encode(errors="replace").decode(), "it is not valid Unicode"
        ) from None
    for segment in path.split("/"):
        if not segment:
            raise _path_refused(path, "it holds an empty folder name")
        if segment in _DOTS:
            raise _path_refused(path, f"it holds '{segment}'")


def _path_refused(path: str, reason: str) -> UserError:
    return UserError("FILE_PATH_REFUSED", path=path, reason=reason)
