"""Proving to a store who asks: Amazon's signature version 4, and Alibaba's of the same build; pure.

A signature covers the method, the path, the query and the headers, so that nobody on the way can
turn one request into another. The time is an argument: these functions read no clock.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from headwater.storage.connections import AccessKeys
from headwater.storage.requests import Request, encoded, encoded_path

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
_UNSIGNED = "UNSIGNED-PAYLOAD"


class Signer(Protocol):
    """Signs the requests to one kind of store."""

    @property
    def header_prefix(self) -> str:
        """What the names of the store's own headers start with."""
        ...

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        """The request with the headers that prove who sends it."""
        ...

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        """The request with the proof in its query, so that an address is enough."""
        ...

    def query_text(self, query: Mapping[str, str]) -> str:
        """The query as it must be sent, because that is how it is signed."""
        ...


@dataclass(frozen=True, slots=True)
class AmazonSigner:
    """Signature version 4 as S3, its many relatives and STS take it; every header is signed."""

    region: str
    service: str = "s3"

    @property
    def header_prefix(self) -> str:
        return "x-amz-"

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        moment = _moment(at)
        content = request.content.sha256 if request.content else EMPTY_SHA256
        headers = {**request.headers, "x-amz-date": moment, "x-amz-content-sha256": content}
        if keys.session_token:
            headers["x-amz-security-token"] = keys.session_token
        ready = replace(request, headers=headers)
        names = ";".join(sorted(headers))
        signature = self._signature(ready, keys, moment, content=content)
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={keys.access_key}/{self._scope(moment)},"
            f"SignedHeaders={names},Signature={signature}"
        )
        return ready

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        moment = _moment(at)
        query = {
            **request.query,
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{keys.access_key}/{self._scope(moment)}",
            "X-Amz-Date": moment,
            "X-Amz-Expires": str(seconds),
            "X-Amz-SignedHeaders": ";".join(sorted(request.headers)),
        }
        if keys.session_token:
            query["X-Amz-Security-Token"] = keys.session_token
        ready = replace(request, query=query)
        query["X-Amz-Signature"] = self._signature(ready, keys, moment, content=_UNSIGNED)
        return ready

    def query_text(self, query: Mapping[str, str]) -> str:
        pairs = sorted((encoded(name), encoded(value)) for name, value in query.items())
        return "&".join(f"{name}={value}" for name, value in pairs)

    def _scope(self, moment: str) -> str:
        return f"{moment[:8]}/{self.region}/{self.service}/aws4_request"

    def _signature(self, request: Request, keys: AccessKeys, moment: str, *, content: str) -> str:
        headers = sorted(request.headers.items())
        canonical = [
            request.method,
            encoded_path(request.path),
            self.query_text(request.query),
            *(f"{name}:{' '.join(value.split())}" for name, value in headers),
            "",
            ";".join(name for name, _ in headers),
            content,
        ]
        scope = self._scope(moment)
        key = _key(f"AWS4{keys.secret_key}", scope)
        return _sign(key, ["AWS4-HMAC-SHA256", moment, scope, _digest(canonical)])


@dataclass(frozen=True, slots=True)
class AlibabaSigner:
    """OSS's version 4. It names the bucket in the path even where the host does, and takes no
    checksum of the content; the Content-MD5 header, which is signed, stands in for it.
    """

    region: str
    bucket: str

    @property
    def header_prefix(self) -> str:
        return "x-oss-"

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        moment = _moment(at)
        headers = {**request.headers, "x-oss-date": moment, "x-oss-content-sha256": _UNSIGNED}
        if keys.session_token:
            headers["x-oss-security-token"] = keys.session_token
        ready = replace(request, headers=headers)
        headers["authorization"] = (
            f"OSS4-HMAC-SHA256 Credential={keys.access_key}/{self._scope(moment)},"
            f"Signature={self._signature(ready, keys, moment)}"
        )
        return ready

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        moment = _moment(at)
        query = {
            **request.query,
            "x-oss-signature-version": "OSS4-HMAC-SHA256",
            "x-oss-credential": f"{keys.access_key}/{self._scope(moment)}",
            "x-oss-date": moment,
            "x-oss-expires": str(seconds),
        }
        if keys.session_token:
            query["x-oss-security-token"] = keys.session_token
        ready = replace(request, query=query)
        query["x-oss-signature"] = self._signature(ready, keys, moment)
        return ready

    def query_text(self, query: Mapping[str, str]) -> str:
        pairs = sorted((encoded(name), encoded(value)) for name, value in query.items())
        return "&".join(f"{name}={value}" if value else name for name, value in pairs)

    def _scope(self, moment: str) -> str:
        return f"{moment[:8]}/{self.region}/oss/aliyun_v4_request"

    def _signature(self, request: Request, keys: AccessKeys, moment: str) -> str:
        covered = sorted(
            (name, value)
            for name, value in request.headers.items()
            if name in ("content-type", "content-md5") or name.startswith("x-oss-")
        )
        canonical = [
            request.method,
            encoded_path(f"/{self.bucket}{request.path}"),
            self.query_text(request.query),
            *(f"{name}:{value.strip()}" for name, value in covered),
            "",
            "",
            _UNSIGNED,
        ]
        scope = self._scope(moment)
        key = _key(f"aliyun_v4{keys.secret_key}", scope)
        return _sign(key, ["OSS4-HMAC-SHA256", moment, scope, _digest(canonical)])


def _moment(at: datetime) -> str:
    return at.strftime("%Y%m%dT%H%M%SZ")


def _key(secret: str, scope: str) -> bytes:
    """A key that is good for one day, region and service only."""
    key = secret.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _sign(key: bytes, lines: list[str]) -> str:
    return hmac.digest(key, "\n".join(lines).encode(), "sha256").hex()
