"""What a storage connection says about reaching a store: endpoint, region, keys or a role."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from headwater.storage.addresses import Scheme


@dataclass(frozen=True, slots=True)
class AccessKeys:
    """A pair of keys, temporary if it has a token. Secrets stay out of `repr`."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None

    def masked(self, text: str) -> str:
        """`text` without these secrets, for texts that come from outside."""
        for secret in filter(None, (self.secret_key, self.session_token)):
            text = text.replace(secret, "****")
        return text


@dataclass(frozen=True, slots=True)
class Role:
    """A role to assume; its trust policy asks for the external id."""

    arn: str
    external_id: str


@dataclass(frozen=True, slots=True)
class StoreConnection:
    """A storage connection with its secrets opened; either keys or a role."""

    scheme: Scheme
    endpoint: str | None = None
    region: str | None = None
    app_id: str | None = None
    """The account's number that is part of every bucket name of COS."""
    keys: AccessKeys | None = None
    role: Role | None = None
