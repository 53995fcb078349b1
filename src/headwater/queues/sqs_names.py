"""Reading AWS_SQS_QUEUE: a name, an ARN, or the address of a queue; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.errors import UserError

_NAME = r"[A-Za-z0-9_-]{1,80}(?:\.fifo)?"
_BARE = re.compile(_NAME + r"\Z")
_ARN = re.compile(
    rf"arn:aws[a-z-]*:sqs:(?P<region>[a-z0-9-]+):(?P<account>\d+):(?P<name>{_NAME})\Z"
)
_PATH = re.compile(rf"/(?P<account>\d+)/(?P<name>{_NAME})\Z")
_HOST = re.compile(r"(?:.+\.)?sqs\.(?P<region>[a-z0-9-]+)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?\Z")
_FORMS = "a name, arn:aws:sqs:<region>:<account>:<name>, or https://sqs.<region>.amazonaws.com/.."


@dataclass(frozen=True, slots=True)
class SqsName:
    """A queue as the user wrote it (`text`), and what that says; the rest is not known yet."""

    text: str
    name: str
    account: str | None = None
    region: str | None = None
    server: str | None = None
    """The server in an address, which may be one inside a private network."""


def sqs_name(text: str) -> SqsName:
    """The queue that AWS_SQS_QUEUE names.

    Keys are sent to Amazon's servers only, so an address of another server is refused.

    >>> sqs_name("arn:aws:sqs:eu-west-1:123456789012:new-files").name
    'new-files'
    """
    if not text.isprintable():
        # Python would drop line breaks in silence.
        raise _refused(text.encode("unicode_escape").decode(), "it holds a control character")
    if _BARE.match(text):
        return SqsName(text, text)
    if found := _ARN.match(text):
        return SqsName(text, found["name"], found["account"], found["region"])
    if "://" not in text:
        raise _refused(text, "it is neither a name nor an ARN nor an address")
    return _in_address(text)


def may_be_same_queue(one: SqsName, other: SqsName) -> bool:
    """Whether two names can mean one queue; what a name does not say may be anything.

    >>> may_be_same_queue(sqs_name("a"), sqs_name("arn:aws:sqs:eu-west-1:123456789012:a"))
    True
    """
    known = ((one.account, other.account), (one.region, other.region))
    return one.name == other.name and all(a is None or b is None or a == b for a, b in known)


def _in_address(text: str) -> SqsName:
    parts = urlsplit(text)
    host = _HOST.match(parts.netloc)
    path = _PATH.match(parts.path)
    if parts.scheme != "https" or host is None:
        raise _refused(text, "it is no https:// address of a server of Amazon SQS")
    if path is None or parts.query or parts.fragment:
        raise _refused(text, "behind the server, /<account>/<name> is expected")
    return SqsName(text, path["name"], path["account"], host["region"], parts.netloc)


def _refused(text: str, reason: str) -> UserError:
    shown = re.sub(r"//[^/]*@", "//****@", text)
    return UserError("QUEUE_NAME_REFUSED", queue=shown, reason=reason, forms=_FORMS)
