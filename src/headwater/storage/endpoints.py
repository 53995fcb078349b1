"""The server that answers for a bucket, and how a bucket is named to it; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.errors import UserError

_HOST = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])\Z")
_STANDARD_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go; `folder` is what stands in front of every key in the path."""

    secure: bool
    host: str
    port: int
    folder: str = "/"

    @property
    def authority(self) -> str:
        """The Host header: without the port where it is the usual one."""
        usual = _STANDARD_PORTS["https" if self.secure else "http"]
        return self.host if self.port == usual else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The beginning of every address at this endpoint."""
        return f"{'https' if self.secure else 'http'}://{self.authority}"

    def with_bucket_in_host(self, bucket: str) -> Endpoint:
        """Virtual-host style: the bucket is a part of the host's name."""
        return Endpoint(self.secure, f"{bucket}.{self.host}", self.port)

    def with_bucket_in_path(self, bucket: str) -> Endpoint:
        """Path style: the bucket is the first folder of every path."""
        return Endpoint(self.secure, self.host, self.port, f"/{bucket}/")


def parse_endpoint(text: str) -> Endpoint:
    """ENDPOINT as users write it: a host, perhaps with a port and with http:// or https://.

    >>> parse_endpoint("oss-cn-hangzhou.aliyuncs.com").url
    'https://oss-cn-hangzhou.aliyuncs.com'
    """
    given = text.strip()
    if not given.isprintable():
        # Python would drop line breaks in silence.
        raise _refused(given.encode("unicode_escape").decode(), "it holds a control character")
    parts = urlsplit(given if "://" in given else f"https://{given}")
    try:
        port = parts.port
    except ValueError:
        raise _refused(text, "its port is not a number") from None
    if parts.scheme not in _STANDARD_PORTS:
        raise _refused(text, "it is neither http:// nor https://")
    if "@" in parts.netloc:
        raise _refused("****@" + parts.netloc.rpartition("@")[2], "it holds a user name")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise _refused(text, "only a host and a port may stand there")
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    if not _HOST.match(host):
        raise _refused(text, "there is no host in it")
    return Endpoint(parts.scheme == "https", host, port or _STANDARD_PORTS[parts.scheme])


def _refused(endpoint: str, reason: str) -> UserError:
    return UserError("ENDPOINT_REFUSED", endpoint=endpoint, reason=reason)
