"""Assuming a role at Amazon: keys for an hour, got with the external id of the connection.

The call is signed with the keys of this process, which come from the variables that Amazon's own
tools read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from urllib.parse import urlencode

from headwater.errors import UserError
from headwater.storage.answers import Answer, parsed_xml
from headwater.storage.connections import AccessKeys, Role
from headwater.storage.content_of import content_of
from headwater.storage.endpoints import Endpoint, parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.failures import refusal_of
from headwater.storage.kept_keys import KeptKeys, now
from headwater.storage.requests import Request
from headwater.storage.s3 import amazon_domain
from headwater.storage.signing import AmazonSigner

_LIFETIME = timedelta(hours=1)
_SESSION_NAME = "headwater"


class RoleKeys:
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
        endpoint = self._endpoint()
        own = self._own_keys()
        exchange = Exchange(endpoint, AmazonSigner(self._region, "sts"), lambda: own)
        try:
            answer = exchange.send(self._request(endpoint))
        finally:
            exchange.close()
        if not answer.good:
            reason = own.masked(refusal_of(answer).text)
            raise self._refused(reason)
        return self._keys_in(answer)

    def _endpoint(self) -> Endpoint:
        given = self._environment.get("AWS_ENDPOINT_URL_STS")
        return parse_endpoint(given or f"sts.{self._region}.{amazon_domain(self._region)}")

    def _own_keys(self) -> AccessKeys:
        access_key = self._environment.get("AWS_ACCESS_KEY_ID")
        secret_key = self._environment.get("AWS_SECRET_ACCESS_KEY")
        if not access_key or not secret_key:
            raise UserError("ROLE_NEEDS_KEYS", role=self._role.arn)
        return AccessKeys(access_key, secret_key, self._environment.get("AWS_SESSION_TOKEN"))

    def _request(self, endpoint: Endpoint) -> Request:
        form = {
            "Action": "AssumeRole",
            "Version": "2011-06-15",
            "RoleArn": self._role.arn,
            "RoleSessionName": _SESSION_NAME,
            "ExternalId": self._role.external_id,
            "DurationSeconds": str(int(_LIFETIME.total_seconds())),
        }
        headers = {
            "host": endpoint.authority,
            "content-type": "application/x-www-form-urlencoded",
        }
        content = content_of(urlencode(form).encode())
        return Request("POST", "/", headers=headers, content=content)

    def _keys_in(self, answer: Answer) -> AccessKeys:
        try:
            elements = parsed_xml(answer.body).iter()
            found = {element.tag.rpartition("}")[2]: element.text for element in elements}
            return AccessKeys(
                found["AccessKeyId"] or "",
                found["SecretAccessKey"] or "",
                found["SessionToken"],
                datetime.fromisoformat(found["Expiration"] or ""),
            )
        except (KeyError, ValueError):
            # The answer may hold keys: nothing of it is shown.
            raise self._refused("the answer cannot be understood") from None

    def _refused(self, reason: str) -> UserError:
        role = self._role
        return UserError("ROLE_REFUSED", role=role.arn, reason=reason, external_id=role.external_id)
