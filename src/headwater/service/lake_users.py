"""The users and tokens of the lake, as those who may ask its service."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.access_login import Logins
from headwater.errors import UserError
from headwater.service.identity import Identity, Proof

_UNKNOWN = "LOGIN_FAILED"


@dataclass(frozen=True, slots=True)
class LakeUsers:
    """Lets in whom a token or a password proves; who tries too often waits."""

    logins: Logins

    def authenticate(self, proof: Proof) -> Identity | None:
        """Who it proves to be asking; LOGIN_TOO_OFTEN without looking."""
        try:
            return self.log_in(proof)
        except UserError as error:
            if error.condition != _UNKNOWN:
                raise
            return None

    def log_in(self, proof: Proof) -> Identity:
        """The same, for those who want the reason of a refusal.

        A token is proof enough where a password is asked for, if its user is the one who is named.
        """
        if proof.user is None:
            return self.logins.with_token(proof.secret, address=proof.address)
        if self.logins.is_token(proof.secret):
            found = self.logins.with_token(proof.secret, address=proof.address)
            if found.user == proof.user.lower():
                return found
            raise UserError("LOGIN_FAILED")
        return self.logins.with_password(proof.user, proof.secret, address=proof.address)
