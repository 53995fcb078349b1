"""Passwords and tokens: made, hashed and checked. Neither is kept anywhere in clear.

A token is `hw_<id>_<secret>`: the id finds it, the 32 random bytes of the secret prove it. A hash
of SHA-256 is enough for them, because nobody can guess 32 random bytes; passwords get argon2id.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_ID_BYTES = 8
_SECRET_BYTES = 32
_TOKEN = re.compile(r"hw_([0-9a-f]{16})_([A-Za-z0-9_\-]{43})\Z")


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as its user gets it, once, and as the catalog keeps it."""

    id: str
    text: str = field(repr=False)
    secret_hash: str


def hash_password(password: str) -> str:
    """What is kept of a password."""
    return _hasher().hash(password)


def check_password(password: str, kept: str) -> bool:
    """Whether a password is the one of which `kept` was kept."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def unknown_user_hash() -> str:
    """What the password of somebody unknown is checked against, so that both take as long."""
    return hash_password(secrets.token_urlsafe())


def new_token() -> NewToken:
    """A token nobody has seen."""
    token_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    return NewToken(token_id, f"hw_{token_id}_{secret}", _hash(secret))


def token_parts(text: str) -> tuple[str, str] | None:
    """The id and the secret of a token; None for what is none."""
    match = _TOKEN.match(text)
    return None if match is None else (match[1], match[2])


def check_secret(secret: str, kept: str) -> bool:
    """Whether a secret is the one of which `kept` was kept, in a time that tells nothing."""
    return hmac.compare_digest(_hash(secret), kept)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def _hasher() -> PasswordHasher:
    # Late, because nine in ten processes check no password.
    from argon2 import PasswordHasher

    return PasswordHasher()
