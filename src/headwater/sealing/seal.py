"""Sealing and opening one secret: AES-256-GCM, as the text `hw1:<key id>:<base64>`.

Law: open(seal(secret)) = secret for the same owner and the same name, and an error for every
other: a sealed secret that is copied to another owner, or to another of its names, stays shut.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from typing import TYPE_CHECKING

from headwater.errors import UserError
from headwater.sealing.keys import KeyRing, SecretKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "hw1"
_SEALED = re.compile(r"hw1:(?P<key_id>[0-9a-f]{12}):(?P<content>[A-Za-z0-9+/=]+)\Z")
_NONCE_SIZE = 12


def seal(secret: str, ring: KeyRing, *, owner_id: str, name: str) -> str:
    """The sealed text of a secret, with the newest key; never the same twice."""
    nonce = secrets.token_bytes(_NONCE_SIZE)
    key = ring.newest
    content = nonce + _cipher(key).encrypt(nonce, secret.encode(), _bound_to(owner_id, name))
    return f"{_VERSION}:{key.id}:{base64.b64encode(content).decode()}"


def open_sealed(sealed: str, ring: KeyRing, *, owner_id: str, name: str) -> str:
    """The secret in a sealed text."""
    from cryptography.exceptions import InvalidTag

    key_id, content = _parts(sealed)
    key = ring.find(key_id)
    if key is None:
        raise UserError("SECRET_SEALED_WITH_OTHER_KEY", key_id=key_id, source=ring.source)
    nonce, hidden = content[:_NONCE_SIZE], content[_NONCE_SIZE:]
    try:
        secret: bytes = _cipher(key).decrypt(nonce, hidden, _bound_to(owner_id, name))
        return secret.decode()
    except (InvalidTag, ValueError):
        raise UserError("SECRET_DAMAGED") from None


def reseal(sealed: str, ring: KeyRing, *, owner_id: str, name: str) -> str:
    """The same secret sealed with the newest key; the text itself if it is that already."""
    if _parts(sealed)[0] == ring.newest.id:
        return sealed
    secret = open_sealed(sealed, ring, owner_id=owner_id, name=name)
    return seal(secret, ring, owner_id=owner_id, name=name)


def is_sealed(text: str) -> bool:
    """Whether a text looks like a sealed secret."""
    return _SEALED.match(text) is not None


def _parts(sealed: str) -> tuple[str, bytes]:
    found = _SEALED.match(sealed)
    try:
        if found is not None:
            return found["key_id"], base64.b64decode(found["content"], validate=True)
    except binascii.Error:
        pass
    raise UserError("SECRET_DAMAGED")


def _bound_to(owner_id: str, name: str) -> bytes:
    # The length keeps ("a", "bc") and ("ab", "c") apart.
    return f"{_VERSION}:{len(owner_id)}:{owner_id}:{name}".encode()


def _cipher(key: SecretKey) -> AESGCM:
    # Imported late: it takes longer than SHOW TABLES may.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key.content)
