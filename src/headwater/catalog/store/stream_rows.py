"""Streams as rows, both ways, and the moves of their offsets.

Invariant: a move happens once. Its number is one more than the stream's; any other is left alone,
because the commit that bears it was read before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, or_, select, update

from headwater.catalog.jobs import FINAL_STATES
from headwater.catalog.objects import Table, TableKind, TableShape, TableState, TableVersion
from headwater.catalog.store.model import jobs, schemas, tables, workspaces
from headwater.catalog.store.stream_model import streams
from headwater.catalog.streams import Stream, StreamMode, StreamMove, StreamOffset, StreamSource

_FINAL = tuple(state.value for state in FINAL_STATES)


@cache
def select_streams() -> Select[Any]:
    """The query for streams, of which the rest is to say which ones."""
    return (
        select(
            streams,
            tables.c.name,
            tables.c.creator,
            tables.c.created_at,
            tables.c.modified_at,
            tables.c.comment,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(streams, tables)
        .join(schemas)
        .join(workspaces)
        .where(tables.c.state == TableState.ACTIVE)
    )


def stream_from(row: Row[Any]) -> Stream:
    """The stream of a row of `select_streams`."""
    return Stream(
        id=row.table_id,
        workspace=row.workspace_name,
        schema=row.schema_name,
        name=row.name,
        source=StreamSource(row.source),
        source_id=row.source_id,
        mode=StreamMode(row.mode),
        offset=StreamOffset.from_dict(row.position),
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        show_initial_rows=row.show_initial_rows,
        number=row.number,
        consumed_at=row.consumed_at,
        comment=row.comment,
    )


def table_of(stream: Stream) -> Table:
    """The row in `tables` that holds the stream's name."""
    return Table(
        id=stream.id,
        workspace=stream.workspace,
        schema=stream.schema,
        name=stream.name,
        kind=TableKind.STREAM,
        state=TableState.ACTIVE,
        creator=stream.creator,
        created_at=stream.created_at,
        modified_at=stream.modified_at,
        shape=TableShape(comment=stream.comment),
    )


def stream_values(stream: Stream) -> dict[str, Any]:
    """A stream's own columns."""
    return {
        "table_id": stream.id,
        "source": stream.source,
        "source_id": stream.source_id,
        "mode": stream.mode,
        "show_initial_rows": stream.show_initial_rows,
        "position": stream.offset.to_dict(),
        "number": stream.number,
        "consumed_at": stream.consumed_at,
    }


def claim(connection: Connection, wanted: StreamMove, job_id: str) -> bool:
    """Takes one stream for a job; False when another job has it or it was moved."""
    busy = select(jobs.c.id).where(jobs.c.id == streams.c.claimed_by, ~jobs.c.state.in_(_FINAL))
    statement = update(streams).where(
        streams.c.table_id == wanted.stream,
        streams.c.number == wanted.number - 1,
        or_(streams.c.claimed_by.is_(None), streams.c.claimed_by == job_id, ~busy.exists()),
    )
    return connection.execute(statement.values(claimed_by=job_id)).rowcount == 1


def move_streams(connection: Connection, versions: Iterable[TableVersion]) -> None:
    """Moves the streams that the commits of these versions consumed."""
    for version in versions:
        move(connection, version.consumed, at=version.committed_at)


def move(connection: Connection, moves: Sequence[StreamMove], *, at: datetime) -> None:
    """Makes the moves that were not made yet."""
    for made in moves:
        own = streams.c.table_id == made.stream
        values = {"position": made.to.to_dict(), "number": made.number, "consumed_at": at}
        values |= {"claimed_by": None}
        due = update(streams).where(own, streams.c.number == made.number - 1)
        connection.execute(due.values(values))
