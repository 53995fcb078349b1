"""The token of the lake's own machine.

Invariant: it lies in the lake folder for its owner alone, which is how the command line there gets
in.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from headwater.client.local_service import TOKEN_FILE
from headwater.errors import UserError
from headwater.service.identity import Identity, Proof
from headwater.sql.roles import Role

_BYTES = 32
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class KnownToken:
    """One token, known by its SHA-256, and whose it is."""

    digest: str
    identity: Identity

    def authenticate(self, proof: Proof) -> Identity | None:
        """Compared in constant time."""
        if proof.user is not None:
            return None
        same = hmac.compare_digest(self.digest, digest_of(proof.secret))
        return self.identity if same else None


def digest_of(token: str) -> str:
    """What is kept of a token: random ones need no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def local_token(folder: Path, user: str) -> KnownToken:
    """The token in the lake folder, made if it is not there."""
    path = folder / TOKEN_FILE
    try:
        token = _read(path) or _make(path)
    except OSError as error:
        reason = error.strerror or error
        raise UserError("TOKEN_FILE_UNUSABLE", path=path, reason=reason) from None
    return KnownToken(digest_of(token), Identity(user, Role.ADMIN))


def _read(path: Path) -> str | None:
    """The token; None when there is no file, or one that others could have read or written."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, encoding="ascii") as file:
        found = os.fstat(handle)
        private = stat.S_IMODE(found.st_mode) == _OWNER_ONLY and found.st_uid == os.geteuid()
        return file.read().strip() if private else None


def _make(path: Path) -> str:
    """A new token in a new file, which appears whole."""
    token = secrets.token_urlsafe(_BYTES)
    beside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(token)
    os.replace(beside, path)
    return token
