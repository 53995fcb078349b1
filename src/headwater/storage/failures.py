"""Turning what a store answers, or that it does not answer, into Headwater's kinds of error.

Invariant: nothing that leaves here shows a secret. A store's own words are shortened and masked.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from dataclasses import dataclass

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.storage.answers import Answer, parsed_xml

_LONGEST_MESSAGE = 200
_BUSY_STATUSES = frozenset({429, 500, 502, 503, 504})
_BUSY_CODES = frozenset({"SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable"})
_ELSEWHERE_CODES = frozenset(
    {"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed"}
    | {"AccessDeniedByEndpoint", "IllegalLocationConstraintException"}
)
_DENIED_CODES = frozenset(
    {"ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch"}
    | {"RequestTimeTooSkewed", "SecurityTokenExpired", "InvalidSecurityToken"}
)
# What the network can do to us; everything else is a bug and must be seen as one.
NETWORK_ERRORS = (OSError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a store said instead of doing what it was asked."""

    status: int
    code: str
    message: str
    region: str | None = None

    @property
    def busy(self) -> bool:
        """Whether the same request may succeed a moment later."""
        return self.status in _BUSY_STATUSES or self.code in _BUSY_CODES

    @property
    def text(self) -> str:
        """What to show of it."""
        words = f"{self.code}: {self.message}" if self.message else self.code
        return words or f"HTTP status {self.status}"


def refusal_of(answer: Answer) -> Refusal:
    """What the store says in the body of its answer; a body that says nothing is fine too."""
    code, message, region = "", "", answer.headers.get("x-amz-bucket-region")
    try:
        root = parsed_xml(answer.body)
    except ValueError:
        return Refusal(answer.status, code, message, region)
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        said = " ".join((element.text or "").split())[:_LONGEST_MESSAGE]
        if name == "Code":
            code = code or said
        elif name == "Message":
            message = message or said
        elif name == "Region":
            region = region or said
    return Refusal(answer.status, code, message, region)


def refused(refusal: Refusal, *, store: str, path: str | None = None) -> HeadwaterError:
    """The error to raise for a refusal; `store` is the address of the volume's folder."""
    if refusal.busy:
        return TransientError("STORE_BUSY", store=store, reason=refusal.text)
    if refusal.code == "NoSuchBucket":
        return UserError("BUCKET_NOT_FOUND", store=store)
    if refusal.code in _ELSEWHERE_CODES or refusal.status in (301, 307, 308):
        region = refusal.region or "another region"
        return UserError("BUCKET_IN_OTHER_REGION", store=store, region=region)
    if refusal.status in (401, 403) or refusal.code in _DENIED_CODES:
        return UserError("STORAGE_DENIED", store=store, reason=refusal.text)
    if refusal.status == 404 and path is not None:
        return file_not_found(path, store)
    return UserError("STORE_REFUSED", store=store, reason=refusal.text)


def file_not_found(path: str, store: str) -> UserError:
    """There is no such file."""
    return UserError("FILE_NOT_FOUND", path=path, store=store)


def unreachable(error: Exception, *, server: str) -> TransientError:
    """The error to raise when no answer came; `server` is host and port."""
    return TransientError("STORE_UNREACHABLE", server=server, reason=_network_reason(error))


def worth_retrying(error: Exception) -> bool:
    """Whether the network may have failed for a moment only."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return False
    return not (isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME)


def _network_reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "the connection broke"
