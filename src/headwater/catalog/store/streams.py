"""The store's streams.

Invariant: a stream and the row that holds its name in `tables` are made, replaced and dropped
together; its offset changes only by a move.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select

from headwater.catalog.objects import TableKind
from headwater.catalog.store.database import Database
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.stream_model import streams
from headwater.catalog.store.stream_rows import (
    claim,
    move,
    select_streams,
    stream_from,
    stream_values,
    table_of,
)
from headwater.catalog.store.table_moves import insert_table
from headwater.catalog.streams import Stream, StreamMove


class Streams:
    """Makes, finds, moves and drops streams."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self, stream: Stream, *, replace: bool = False, connection: Connection | None = None
    ) -> None:
        """Adds a stream; TABLE_ALREADY_EXISTS when its name is taken.

        With `replace` a stream that has the name goes, and nothing else that has it does.
        """
        with self._database.write(connection) as own:
            old = self.get(stream.workspace, stream.schema, stream.name, connection=own)
            if replace and old is not None:
                self.drop(old, connection=own)
            insert_table(own, table_of(stream))
            own.execute(insert(streams).values(stream_values(stream)))

    def get(
        self, workspace: str, schema: str, name: str, *, connection: Connection | None = None
    ) -> Stream | None:
        """The stream of that name, or None."""
        return self._one(_in(workspace, schema).where(tables.c.name == name), connection)

    def by_id(self, stream_id: str, *, connection: Connection | None = None) -> Stream | None:
        """The stream with that id, or None."""
        return self._one(select_streams().where(streams.c.table_id == stream_id), connection)

    def list(
        self, workspace: str, schema: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Stream]:
        """The streams of a schema or of all schemas, by name."""
        query = _in(workspace, schema).order_by(schemas.c.name, tables.c.name)
        return self._all(query, connection)

    def watching(
        self, source_id: str, *, connection: Connection | None = None
    ) -> builtins.list[Stream]:
        """The streams of a table or a volume, by age."""
        query = select_streams().where(streams.c.source_id == source_id)
        return self._all(query.order_by(tables.c.created_at, tables.c.id), connection)

    def claimants(
        self, stream_ids: Sequence[str], *, connection: Connection | None = None
    ) -> builtins.list[str]:
        """The jobs that claimed these streams and did not move them, finished or not."""
        query = select(streams.c.claimed_by).where(
            streams.c.table_id.in_(stream_ids), streams.c.claimed_by.is_not(None)
        )
        with self._database.read(connection) as own:
            return builtins.list(own.execute(query.distinct()).scalars())

    def claim(
        self, moves: Sequence[StreamMove], job_id: str, *, connection: Connection | None = None
    ) -> str | None:
        """Takes streams for a job that is to make these moves, all or none of them.

        Gives back the id of one that it cannot have: another job, which is not finished, has it, or
        it was moved since, or dropped.
        """
        with self._database.write(connection) as own, own.begin_nested() as all_or_none:
            for wanted in moves:
                if not claim(own, wanted, job_id):
                    all_or_none.rollback()
                    return wanted.stream
        return None

    def move(
        self, moves: Sequence[StreamMove], at: datetime, *, connection: Connection | None = None
    ) -> None:
        """Moves streams whose consumption made no commit, because it changed nothing."""
        with self._database.write(connection) as own:
            move(own, moves, at=at)

    def drop(self, stream: Stream, *, connection: Connection | None = None) -> None:
        """Forgets a stream; its rows in both tables go."""
        name_row = delete(tables).where(tables.c.id == stream.id, tables.c.kind == TableKind.STREAM)
        with self._database.write(connection) as own:
            own.execute(delete(streams).where(streams.c.table_id == stream.id))
            own.execute(name_row)

    def _one(self, query: Select[Any], connection: Connection | None) -> Stream | None:
        with self._database.read(connection) as own:
            row = own.execute(query.limit(1)).one_or_none()
        return None if row is None else stream_from(row)

    def _all(self, query: Select[Any], connection: Connection | None) -> builtins.list[Stream]:
        with self._database.read(connection) as own:
            rows = own.execute(query).all()
        return [stream_from(row) for row in rows]


def _in(workspace: str, schema: str | None) -> Select[Any]:
    query = select_streams().where(workspaces.c.name == workspace)
    return query if schema is None else query.where(schemas.c.name == schema)
