"""Changing the key that seals secrets.

Law: at every moment the keys that are kept open every secret. A new key is added, all secrets are
sealed with it in one transaction, and only then the old keys go; killed anywhere, it can be run
again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.errors import UserError
from headwater.files.connections import key_source
from headwater.runtime.open_lake import OpenLake
from headwater.sealing.keys import KeyRing, KeySource
from headwater.sealing.seal import reseal


@dataclass(frozen=True, slots=True)
class Rotation:
    """What was done: how many connections were sealed anew, with which key, kept where."""

    connections: int
    key_id: str
    source: str
    old_keys_removed: bool


def rotate_key(lake: OpenLake) -> Rotation:
    """Seal all secrets with a new key."""
    lake.writer.ensure()
    source = key_source(lake)
    ring, ours = _new_ring(source)
    count = 0
    with lake.store.begin() as transaction:
        for connection in lake.store.connections.list(connection=transaction):
            sealed = {
                name: reseal(text, ring, owner_id=connection.id, name=name)
                for name, text in connection.sealed.items()
            }
            if sealed != connection.sealed:
                changed = replace(connection, sealed=sealed)
                lake.store.connections.update(changed, connection=transaction)
                count += 1
    if ours:
        source.keep_newest()
    return Rotation(count, ring.newest.id, ring.source, ours)


def _new_ring(source: KeySource) -> tuple[KeyRing, bool]:
    """The keys with a new one in front, and whether we made it.

    Keys from a variable are added by whoever sets it; we seal with the first of them.
    """
    try:
        return source.add_key(), True
    except UserError as error:
        if error.condition != "SECRET_KEY_NOT_OURS" or len(source.load().keys) == 1:
            raise
        return source.load(), False
