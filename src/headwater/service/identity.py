"""Who asks: from what a request bears to a user with a role, or nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from headwater.access.grants import Identity
from headwater.errors import UserError

__all__ = ["Authenticator", "FirstOf", "Identity", "Proof", "may_see", "require_operator"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What a request bears: a token, or the name and password of a user; never printed."""

    secret: str
    user: str | None = None
    address: str = ""

    def __repr__(self) -> str:
        return f"Proof(user={self.user!r}, address={self.address!r})"


def may_see(identity: Identity, owner: str) -> bool:
    """Whether statements and sessions of `owner` are this one's to see."""
    return identity.is_admin or identity.user == owner


def require_operator(identity: Identity) -> None:
    """What shows or moves things of everybody is for operators and above."""
    if not identity.sees_all:
        user, ask = identity.user, f"ALTER USER {identity.user} SET ROLE operator"
        raise UserError("ACCESS_DENIED", user=user, needed="the role operator", ask=ask)


class Authenticator(Protocol):
    """Knows tokens or users; asked for every request, from several threads."""

    def authenticate(self, proof: Proof) -> Identity | None:
        """Who it proves to be asking; None when it proves nothing."""
        ...


@dataclass(frozen=True, slots=True)
class FirstOf:
    """Several authenticators: the first that knows a proof says whose it is."""

    members: Sequence[Authenticator]

    def authenticate(self, proof: Proof) -> Identity | None:
        """Who it proves to be asking; None when it proves nothing."""
        for member in self.members:
            found = member.authenticate(proof)
            if found is not None:
                return found
        return None
