"""Reading ALICLOUD_MNS_QUEUE: a name, or the address of a queue; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.errors import UserError
from headwater.storage.endpoints import Endpoint, parse_endpoint

_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,255}"
_BARE = re.compile(_NAME + r"\Z")
_PATH = re.compile(rf"(?:/queues)?/(?P<name>{_NAME})\Z")
_HOST = re.compile(r"[0-9]+\.mns\.[a-z0-9-]+\.aliyuncs\.com\Z")
_FORMS = "a name, or https://<account>.mns.<region>.aliyuncs.com/queues/<name>"


@dataclass(frozen=True, slots=True)
class MnsName:
    """A queue as the user wrote it (`text`), and the server that has it."""

    text: str
    name: str
    endpoint: Endpoint


def mns_name(text: str, server: str | None) -> MnsName:
    """The queue that ALICLOUD_MNS_QUEUE names; a bare name is at the server that is given.

    Keys are sent to Alibaba's servers only, so an address of another server is refused; that
    server comes from whoever runs Headwater, and may be any.
    """
    if not text.isprintable():
        # Python would drop line breaks in silence.
        raise _refused(text.encode("unicode_escape").decode(), "it holds a control character")
    if _BARE.match(text):
        if not server:
            raise UserError("QUEUE_SERVER_UNKNOWN", queue=text)
        return MnsName(text, text, parse_endpoint(server))
    if "://" not in text:
        raise _refused(text, "it is neither a name nor an address")
    return _in_address(text)


def may_be_same_queue(one: str, other: str) -> bool:
    """Whether two texts can mean one queue; a bare name may be at any server.

    >>> may_be_same_queue("a", "https://1.mns.cn-hangzhou.aliyuncs.com/queues/a")
    True
    """
    name, server = _name_and_server(one)
    other_name, other_server = _name_and_server(other)
    return name == other_name and (not server or not other_server or server == other_server)


def _name_and_server(text: str) -> tuple[str, str]:
    found = _PATH.match(urlsplit(text).path) if "://" in text else None
    return (found["name"], urlsplit(text).netloc) if found is not None else (text, "")


def _in_address(text: str) -> MnsName:
    parts = urlsplit(text)
    found = _PATH.match(parts.path)
    if parts.scheme not in ("http", "https") or not _HOST.match(parts.netloc):
        raise _refused(text, "it is no address of a server of MNS")
    if found is None or parts.query or parts.fragment:
        raise _refused(text, "behind the server, /queues/<name> is expected")
    return MnsName(text, found["name"], parse_endpoint(f"{parts.scheme}://{parts.netloc}"))


def _refused(text: str, reason: str) -> UserError:
    shown = re.sub(r"//[^/]*@", "//****@", text)
    return UserError("QUEUE_NAME_REFUSED", queue=shown, reason=reason, forms=_FORMS)
