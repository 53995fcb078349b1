"""Assuming a role at Alibaba Cloud: keys for an hour, got with the external id of the connection.

The call is signed with the keys of this process, which come from the variables that Alibaba's own
tools read. Checked against a fake server and the signature in Alibaba's documents, never against
the cloud.
"""

from __future__ import annotations

import base64
import hmac
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from headwater.errors import UserError
from headwater.storage.answers import Answer, parsed_xml
from headwater.storage.connections import AccessKeys, Role
from headwater.storage.content_of import content_of
from headwater.storage.endpoints import parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.failures import refusal_of
from headwater.storage.kept_keys import KeptKeys, now
from headwater.storage.requests import Request, encoded

_SECONDS = 3600
_SESSION_NAME = "headwater"
_OWN_KEYS = "ALIBABA_CLOUD_ACCESS_KEY_ID and ALIBABA_CLOUD_ACCESS_KEY_SECRET"


def rpc_signature(method: str, parameters: Mapping[str, str], secret_key: str) -> str:
    """Signature 1.0 of a call in Alibaba's RPC style."""
    text = f"{method}&%2F&{encoded(_form(parameters))}"
    digest = hmac.digest(f"{secret_key}&".encode(), text.encode(), "sha1")
    return base64.b64encode(digest).decode()


@dataclass(frozen=True, slots=True)
class RpcSigner:
    """Signs calls whose parameters are their query, and sends these in the body instead.

    Addresses are written into logs on the way; a body is not.
    """

    @property
    def header_prefix(self) -> str:
        return "x-acs-"

    def signed(self, request: Request, keys: AccessKeys, at: datetime) -> Request:
        parameters = {
            **request.query,
            "AccessKeyId": keys.access_key,
            "SignatureMethod": "HMAC-SHA1",
            "SignatureVersion": "1.0",
            # New for every attempt: the same one twice is taken for a replay.
            "SignatureNonce": uuid.uuid4().hex,
            "Timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        if keys.session_token:
            parameters["SecurityToken"] = keys.session_token
        parameters["Signature"] = rpc_signature(request.method, parameters, keys.secret_key)
        content = content_of(_form(parameters).encode())
        headers = {**request.headers, "content-type": "application/x-www-form-urlencoded"}
        return replace(request, query={}, headers=headers, content=content)

    def presigned(
        self, request: Request, keys: AccessKeys, at: datetime, *, seconds: int
    ) -> Request:
        raise AssertionError("nobody is handed the address of a call")

    def query_text(self, query: Mapping[str, str]) -> str:
        return _form(query)


class AlibabaRoleKeys:
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
        given = self._environment.get("ALIBABA_CLOUD_STS_ENDPOINT")
        endpoint = parse_endpoint(given or f"sts.{self._region}.aliyuncs.com")
        own = self._own_keys()
        parameters = {
            "Action": "AssumeRole",
            "Version": "2015-04-01",
            "Format": "XML",
            "RoleArn": self._role.arn,
            "RoleSessionName": _SESSION_NAME,
            "ExternalId": self._role.external_id,
            "DurationSeconds": str(_SECONDS),
        }
        exchange = Exchange(endpoint, RpcSigner(), lambda: own)
        try:
            answer = exchange.send(Request("POST", "/", parameters, {"host": endpoint.authority}))
        finally:
            exchange.close()
        if not answer.good:
            raise self._refused(own.masked(refusal_of(answer).text))
        return self._keys_in(answer)

    def _own_keys(self) -> AccessKeys:
        access_key = self._environment.get("ALIBABA_CLOUD_ACCESS_KEY_ID")
        secret_key = self._environment.get("ALIBABA_CLOUD_ACCESS_KEY_SECRET")
        if not access_key or not secret_key:
            hint = f"set {_OWN_KEYS} where Headwater runs"
            raise UserError("ROLE_NEEDS_KEYS", role=self._role.arn, hint=hint)
        token = self._environment.get("ALIBABA_CLOUD_SECURITY_TOKEN")
        return AccessKeys(access_key, secret_key, token)

    def _keys_in(self, answer: Answer) -> AccessKeys:
        try:
            elements = parsed_xml(answer.body).iter()
            found = {element.tag.rpartition("}")[2]: element.text for element in elements}
            return AccessKeys(
                found["AccessKeyId"] or "",
                found["AccessKeySecret"] or "",
                found["SecurityToken"],
                datetime.fromisoformat(found["Expiration"] or ""),
            )
        except (KeyError, ValueError):
            # The answer may hold keys: nothing of it is shown.
            raise self._refused("the answer cannot be understood") from None

    def _refused(self, reason: str) -> UserError:
        role = self._role
        return UserError("ROLE_REFUSED", role=role.arn, reason=reason, external_id=role.external_id)


def _form(parameters: Mapping[str, str]) -> str:
    return "&".join(f"{encoded(name)}={encoded(parameters[name])}" for name in sorted(parameters))
