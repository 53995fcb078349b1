"""The store's batches of pipes, and the messages that pipes laid aside.

Law: a pipe has at most one batch under way, by partial unique index; a batch that has ended never
changes, so to finish or to fail it twice, or one after the other, changes nothing more.
"""

from __future__ import annotations

import builtins
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, delete, select, update

from headwater.catalog.pipes import AsideMessage, BatchState, PipeBatch
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.pipe_model import pipe_batches, pipe_messages, pipes
from headwater.catalog.store.pipe_rows import batch_from, batch_values, message_from
from headwater.catalog.store.pipes import not_found
from headwater.errors import HeadwaterError, InternalError, TransientError

MESSAGE_CHARACTERS = 4_000
"""How much is kept of a message that was laid aside."""

_ID_CHARACTERS = 500  # a database's index refuses long keys
_columns = pipe_batches.c


class PipeBatches:
    """Records batches, and finds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, batch: PipeBatch, *, connection: Connection | None = None) -> None:
        """Adds a batch that is under way.

        PIPE_BATCH_UNDER_WAY when the pipe has one already. A batch that failed may be begun again.
        """
        if batch.state is not BatchState.INTENT:
            raise _illegal(batch, "new", batch.state)
        again = (_columns.pipe_id == batch.pipe_id) & (_columns.number == batch.number)
        with self._database.write(connection) as own:
            own.execute(delete(pipe_batches).where(again, _columns.state == BatchState.FAILED))
            if not insert_unless_taken(own, pipe_batches, batch_values(batch)):
                raise _refused(own, batch)

    def intent(self, pipe_id: str, *, connection: Connection | None = None) -> PipeBatch | None:
        """The batch of a pipe that is under way, or None."""
        with self._database.read(connection) as own:
            row = own.execute(_intents().where(_columns.pipe_id == pipe_id)).one_or_none()
        return None if row is None else batch_from(row)

    def all_intents(self) -> builtins.list[PipeBatch]:
        """The batches of all pipes that are under way, oldest first."""
        with self._database.read() as own:
            return [batch_from(row) for row in own.execute(_oldest_intents())]

    def of(self, pipe_id: str, limit: int | None = None) -> builtins.list[PipeBatch]:
        """The batches of a pipe, newest first."""
        query = select(pipe_batches).where(_columns.pipe_id == pipe_id)
        with self._database.read() as own:
            rows = own.execute(query.order_by(_columns.number.desc()).limit(limit)).all()
        return [batch_from(row) for row in rows]

    def finish(
        self,
        pipe_id: str,
        number: int,
        *,
        rows: int | None = None,
        connection: Connection | None = None,
    ) -> bool:
        """Records that a batch was committed; False when it had ended before."""
        return self._end(
            pipe_id, number, {"state": BatchState.DONE, "rows": rows}, connection=connection
        )

    def fail(
        self, pipe_id: str, number: int, error: str, *, connection: Connection | None = None
    ) -> bool:
        """Records that a batch was not committed, and why; False when it had ended before."""
        return self._end(
            pipe_id, number, {"state": BatchState.FAILED, "error": error}, connection=connection
        )

    def clean(self, before: datetime, *, connection: Connection | None = None) -> int:
        """Forgets the batches that ended and the messages that came before that time.

        Says how many they were. A batch that is under way stays, whatever its age.
        """
        with self._database.write(connection) as own:
            ended = own.execute(delete(pipe_batches).where(_columns.ended_at < before))
            came = own.execute(delete(pipe_messages).where(pipe_messages.c.at < before))
            return ended.rowcount + came.rowcount

    def set_aside(
        self,
        pipe_id: str,
        message_id: str,
        body: str,
        reason: str,
        at: datetime,
        *,
        connection: Connection | None = None,
    ) -> None:
        """Keeps the beginning of a message that a pipe cannot understand; the same one once."""
        key = {"pipe_id": pipe_id, "message_id": message_id[:_ID_CHARACTERS]}
        values = {"body": body[:MESSAGE_CHARACTERS], "reason": reason, "at": at}
        with self._database.write(connection) as own:
            if insert_unless_taken(own, pipe_messages, key | values):
                return
            same = [pipe_messages.c[name] == value for name, value in key.items()]
            if not own.execute(update(pipe_messages).where(*same).values(values)).rowcount:
                raise not_found(pipe_id)

    def aside(self, pipe_id: str, limit: int | None = None) -> builtins.list[AsideMessage]:
        """The messages that a pipe laid aside, newest first."""
        messages = pipe_messages.c
        query = select(pipe_messages).where(messages.pipe_id == pipe_id)
        newest = query.order_by(messages.at.desc(), messages.message_id).limit(limit)
        with self._database.read() as own:
            return [message_from(row) for row in own.execute(newest)]

    def _end(
        self,
        pipe_id: str,
        number: int,
        values: dict[str, Any],
        *,
        connection: Connection | None,
    ) -> bool:
        under_way = update(pipe_batches).where(
            _columns.pipe_id == pipe_id,
            _columns.number == number,
            _columns.state == BatchState.INTENT,
        )
        with self._database.write(connection) as own:
            statement = under_way.values(ended_at=self._database.clock(), **values)
            return own.execute(statement).rowcount == 1


def _intents() -> Select[Any]:
    return select(pipe_batches).where(_columns.state == BatchState.INTENT)


@cache
def _oldest_intents() -> Select[Any]:
    return _intents().order_by(_columns.begun_at, _columns.pipe_id)


def _refused(own: Connection, batch: PipeBatch) -> HeadwaterError:
    """Why a batch could not be added."""
    theirs = _columns.pipe_id == batch.pipe_id
    under_way = select(_columns.number).where(theirs, _columns.state == BatchState.INTENT)
    number = own.execute(under_way).scalar_one_or_none()
    if number is not None:
        return TransientError("PIPE_BATCH_UNDER_WAY", number=number)
    if own.execute(select(pipes.c.id).where(pipes.c.id == batch.pipe_id)).one_or_none() is None:
        return not_found(batch.pipe_id)
    return _illegal(batch, BatchState.DONE, batch.state)


def _illegal(batch: PipeBatch, before: str, after: str) -> InternalError:
    return InternalError(
        "PIPE_BATCH_STATE_ILLEGAL",
        number=batch.number,
        pipe=batch.pipe_id,
        before=before,
        after=after,
    )
