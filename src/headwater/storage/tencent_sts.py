"""Assuming a role at Tencent Cloud: keys for an hour, got with the external id of the connection.

The call is signed with the keys of this process, which come from the variables that Tencent's own
tools read. Checked against a fake server and the signature in Tencent's documents, never against
the cloud.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from headwater.errors import TransientError, UserError
from headwater.storage.answers import Answer
from headwater.storage.connections import AccessKeys, Role
from headwater.storage.content_of import content_of
from headwater.storage.endpoints import parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.kept_keys import KeptKeys, now
from headwater.storage.requests import Request

_SECONDS = 3600
_SESSION_NAME = "headwater"
_SERVICE = "sts"
_JSON = "application/json; charset=utf-8"
_BUSY = ("InternalError", "RequestLimitExceeded")
_OWN_KEYS = "TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY"


def tc3_signature(host: str, body: bytes, keys: AccessKeys, at: datetime, service: str) -> str:
    """The Authorization header of a call with a JSON body."""
    moment, day = str(int(at.timestamp())), at.astimezone(UTC).strftime("%Y-%m-%d")
    signed = "content-type;host"
    canonical = ["POST", "/", "", f"content-type:{_JSON}", f"host:{host}", "", signed, _hash(body)]
    scope = f"{day}/{service}/tc3_request"
    text = ["TC3-HMAC-SHA256", moment, scope, _hash("\n".join(canonical).encode())]
    key = f"TC3{keys.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, "\n".join(text).encode(), "sha256").hex()
    credential = f"Credential={keys.access_key}/{scope}"
    return f"TC3-HMAC-SHA256 {credential}, SignedHeaders={signed}, Signature={signature}"


@dataclass(frozen=True, slots=True)
class Tc3Signer:
    """Signs calls of one action; the host and the body are covered."""

    action: str
    version: str
    region: str

    @property
    def header_prefix(self) -> str:
        return "x-tc-"

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        assert request.content is not None
        assert isinstance(request.content.source, bytes)
        headers = {
            **request.headers,
            "content-type": _JSON,
            "x-tc-action": self.action,
            "x-tc-version": self.version,
            "x-tc-region": self.region,
            "x-tc-timestamp": str(int(at.timestamp())),
        }
        if keys.session_token:
            headers["x-tc-token"] = keys.session_token
        host, body = headers["host"], request.content.source
        headers["authorization"] = tc3_signature(host, body, keys, at, _SERVICE)
        return replace(request, headers=headers)

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        raise AssertionError("nobody is handed the address of a call")

    def query_text(self, query: Mapping[str, str]) -> str:
        assert not query
        return ""


class TencentRoleKeys:
    """The current keys of a role, when called; asks for new ones when they are about to end."""

    def __init__(
        self,
        role: Role,
        region: str,
        environment: Mapping[str, str],
        *,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._role = role
        self._region = region
        self._environment = environment
        self._kept = KeptKeys(self._assume, clock=clock)

    def __call__(self) -> AccessKeys:
        return self._kept()

    def _assume(self) -> AccessKeys:
        given = self._environment.get("TENCENTCLOUD_STS_ENDPOINT")
        endpoint = parse_endpoint(given or "sts.tencentcloudapi.com")
        own = self._own_keys()
        wanted = {
            "RoleArn": self._role.arn,
            "RoleSessionName": _SESSION_NAME,
            "ExternalId": self._role.external_id,
            "DurationSeconds": _SECONDS,
        }
        signer = Tc3Signer("AssumeRole", "2018-08-13", self._region)
        exchange = Exchange(endpoint, signer, lambda: own)
        content = content_of(json.dumps(wanted).encode())
        try:
            answer = exchange.send(
                Request("POST", "/", {}, {"host": endpoint.authority}, content=content)
            )
        finally:
            exchange.close()
        return self._keys_in(answer, own)

    def _own_keys(self) -> AccessKeys:
        access_key = self._environment.get("TENCENTCLOUD_SECRET_ID")
        secret_key = self._environment.get("TENCENTCLOUD_SECRET_KEY")
        if not access_key or not secret_key:
            hint = f"set {_OWN_KEYS} where Headwater runs"
            raise UserError("ROLE_NEEDS_KEYS", role=self._role.arn, hint=hint)
        return AccessKeys(access_key, secret_key, self._environment.get("TENCENTCLOUD_TOKEN"))

    def _keys_in(self, answer: Answer, own: AccessKeys) -> AccessKeys:
        try:
            found: dict[str, Any] = json.loads(answer.body)["Response"]
            # A refusal comes with the status 200, too.
            if "Error" in found:
                error = found["Error"]
                reason = own.masked(f"{error['Code']}: {error['Message']}")
                if error["Code"].partition(".")[0] in _BUSY:
                    raise TransientError("STORE_BUSY", store=self._role.arn, reason=reason)
                raise self._refused(reason)
            keys = found["Credentials"]
            return AccessKeys(
                keys["TmpSecretId"],
                keys["TmpSecretKey"],
                keys["Token"],
                datetime.fromtimestamp(found["ExpiredTime"], UTC),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            # The answer may hold keys: nothing of it is shown.
            raise self._refused(_not_understood(answer)) from None

    def _refused(self, reason: str) -> UserError:
        role = self._role
        return UserError("ROLE_REFUSED", role=role.arn, reason=reason, external_id=role.external_id)


def _not_understood(answer: Answer) -> str:
    return "the answer cannot be understood" if answer.good else f"HTTP status {answer.status}"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
