"""The store's messages of volumes' queues that could not be understood: the newest of each."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select

from headwater.catalog.store.bulk import one_of
from headwater.catalog.store.database import Database
from headwater.catalog.store.stream_model import volume_messages
from headwater.catalog.volumes import Volume, VolumeMessage

MESSAGE_CHARACTERS = 4_000
"""How much is kept of a message."""

KEPT = 1_000
"""How many messages of a volume are kept; whatever writes into a queue may write for ever."""

_ID_CHARACTERS = 500  # a database's index refuses long keys
_columns = volume_messages.c


class VolumeMessages:
    """Lays messages aside, and shows them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set_aside(self, volume: Volume, messages: Sequence[VolumeMessage]) -> None:
        """Keeps the beginnings of messages; the same one once."""
        kept = {message.message_id[:_ID_CHARACTERS]: message for message in messages}
        if not kept:
            return
        theirs = _columns.volume_id == volume.id
        rows = [
            {
                "volume_id": volume.id,
                "message_id": message_id,
                "body": message.body[:MESSAGE_CHARACTERS],
                "reason": message.reason,
                "at": message.at,
            }
            for message_id, message in kept.items()
        ]
        newest = select(_columns.message_id).where(theirs)
        newest = newest.order_by(_columns.at.desc(), _columns.message_id).limit(KEPT)
        with self._database.write() as own:
            again = one_of(own, _columns.message_id, list(kept))
            own.execute(delete(volume_messages).where(theirs, again))
            own.execute(insert(volume_messages), rows)
            own.execute(delete(volume_messages).where(theirs, _columns.message_id.not_in(newest)))

    def count(self, volume: Volume) -> int:
        """How many messages of a volume are laid aside."""
        query = select(func.count()).where(_columns.volume_id == volume.id)
        with self._database.read() as own:
            return own.execute(query).scalar_one()

    def of(self, volume: Volume, limit: int | None = None) -> builtins.list[VolumeMessage]:
        """The messages of a volume that were laid aside, newest first."""
        query = select(volume_messages).where(_columns.volume_id == volume.id)
        newest = query.order_by(_columns.at.desc(), _columns.message_id).limit(limit)
        with self._database.read() as own:
            return [
                VolumeMessage(row.message_id, row.body, row.reason, row.at)
                for row in own.execute(newest)
            ]
