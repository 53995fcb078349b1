"""The store's pipes.

Invariant: a volume and a Kafka consumer group each feed at most one pipe, by unique index. A pipe
is never written back from a copy: each change is a rule applied to the locked row, so the loop's
bookkeeping and a user's ALTER PIPE cannot undo each other.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Select, bindparam, delete, select, update

from headwater.catalog.pipes import (
    Offsets,
    Pipe,
    PipeCounters,
    PipeStatus,
    failed,
    invalidated,
    paused,
    resumed,
    succeeded,
)
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.file_model import connections, volumes
from headwater.catalog.store.model import schemas, workspaces
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.pipe_rows import pipe_from, pipe_values, select_pipes
from headwater.catalog.store.schemas import live_schema_id
from headwater.errors import UserError

Rule = Callable[[Pipe], Pipe]
"""What a change makes of a pipe; it may be asked about any state of the pipe."""

_CHANGEABLE = (
    "status",
    "modified_at",
    "comment",
    "properties",
    "invalid_reason",
    "failures",
    "last_error",
    "not_before",
    "batch",
    "offsets",
    "last_batch_at",
    "last_message_at",
    "refresh_requested_at",
    "latency",
    "counters",
)


class Pipes:
    """Makes, finds, changes and drops pipes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, pipe: Pipe, *, connection: Connection | None = None) -> None:
        """Adds a pipe.

        PIPE_ALREADY_EXISTS when its name is taken, VOLUME_HAS_PIPE or KAFKA_GROUP_HAS_PIPE when
        another pipe reads what it would read.
        """
        with self._database.write(connection) as own:
            schema_id = live_schema_id(own, pipe.workspace, pipe.schema)
            values = {**pipe_values(pipe), "schema_id": schema_id}
            if not insert_unless_taken(own, pipes, values):
                raise _clash(own, pipe)

    def get(
        self, workspace: str, schema: str, name: str, *, connection: Connection | None = None
    ) -> Pipe | None:
        """The pipe of that name, or None."""
        names = {"workspace": workspace, "schema": schema, "name": name}
        return self._one(_named(), connection, names)

    def by_id(self, pipe_id: str, *, connection: Connection | None = None) -> Pipe | None:
        """The pipe with that id, or None."""
        return self._one(_with_id(), connection, {"id": pipe_id})

    def list(
        self, workspace: str, schema: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Pipe]:
        """The pipes of a schema or of all schemas, by name."""
        return self._all(_in(workspace, schema), connection)

    def running(self) -> builtins.list[Pipe]:
        """The pipes of all workspaces that run."""
        return self._all(select_pipes().where(pipes.c.status == PipeStatus.RUNNING), None)

    def sealed(self, *, connection: Connection | None = None) -> builtins.list[Pipe]:
        """The pipes of all workspaces whose statement is sealed."""
        return self._all(select_pipes().where(pipes.c.sealed_body.is_not(None)), connection)

    def reseal(self, pipe: Pipe, sealed_body: str, *, connection: Connection | None = None) -> None:
        """Keeps the statement of a pipe sealed with another key; nothing else of it changes."""
        statement = update(pipes).where(pipes.c.id == pipe.id)
        with self._database.write(connection) as own:
            if not own.execute(statement.values(sealed_body=sealed_body)).rowcount:
                raise not_found(str(pipe.qualified))

    def using_volume(
        self, volume_id: str, *, connection: Connection | None = None
    ) -> builtins.list[Pipe]:
        """The pipe that a volume feeds, if any."""
        return self._all(select_pipes().where(pipes.c.volume_id == volume_id), connection)

    def using_table(
        self, table_id: str, *, connection: Connection | None = None
    ) -> builtins.list[Pipe]:
        """The pipes that load into a table."""
        return self._all(select_pipes().where(pipes.c.target_id == table_id), connection)

    def using_connection(
        self, connection_id: str, *, connection: Connection | None = None
    ) -> builtins.list[Pipe]:
        """The pipes whose volumes are reached by a connection."""
        query = select_pipes().where(pipes.c.volume_id.in_(_volumes_behind(connection_id)))
        return self._all(query, connection)

    def drop(self, pipe: Pipe, *, connection: Connection | None = None) -> None:
        """Removes a pipe and what it recorded; PIPE_NOT_FOUND when it is gone already."""
        with self._database.write(connection) as own:
            if not own.execute(delete(pipes).where(pipes.c.id == pipe.id)).rowcount:
                raise not_found(str(pipe.qualified))

    def change(self, pipe_id: str, rule: Rule, *, connection: Connection | None = None) -> Pipe:
        """Makes of a pipe what `rule` says, and returns it; PIPE_NOT_FOUND when it is gone.

        Nobody else changes the pipe in between. Its identity, body, input and output stay.
        """
        with self._database.write(connection) as own:
            row = own.execute(_locked(), {"id": pipe_id}).one_or_none()
            if row is None:
                raise not_found(pipe_id)
            before = pipe_from(row)
            after = rule(before)
            if after != before:
                statement = update(pipes).where(pipes.c.id == pipe_id)
                own.execute(statement.values(_changeable(after)))
        return after

    def pause(self, pipe_id: str, at: datetime, *, connection: Connection | None = None) -> Pipe:
        """Stops a pipe by its user's wish; an INVALID one stays so."""
        return self.change(pipe_id, lambda pipe: paused(pipe, at), connection=connection)

    def resume(self, pipe_id: str, at: datetime, *, connection: Connection | None = None) -> Pipe:
        """Lets a pipe run, whatever stopped it."""
        return self.change(pipe_id, lambda pipe: resumed(pipe, at), connection=connection)

    def invalidate(
        self, pipe_id: str, reason: str, at: datetime, *, connection: Connection | None = None
    ) -> Pipe:
        """Stops a pipe that cannot go on."""
        return self.change(
            pipe_id, lambda pipe: invalidated(pipe, reason, at), connection=connection
        )

    def record_failure(
        self,
        pipe_id: str,
        at: datetime,
        reason: str,
        *,
        limit: int,
        transient: bool,
        jitter: float,
        connection: Connection | None = None,
    ) -> Pipe:
        """Records that a batch failed, by the rule `pipes.failed`; it counts the failure, too."""

        def rule(pipe: Pipe) -> Pipe:
            return failed(pipe, at, reason, limit=limit, transient=transient, jitter=jitter)

        return self.change(pipe_id, rule, connection=connection)

    def record_success(
        self,
        pipe_id: str,
        at: datetime,
        *,
        batch: int | None = None,
        offsets: Offsets | None = None,
        message_at: datetime | None = None,
        connection: Connection | None = None,
    ) -> Pipe:
        """Records that a batch ended well, by the rule `pipes.succeeded`."""

        def rule(pipe: Pipe) -> Pipe:
            return succeeded(pipe, at, batch=batch, offsets=offsets, message_at=message_at)

        return self.change(pipe_id, rule, connection=connection)

    def set_properties(
        self,
        pipe_id: str,
        properties: Sequence[tuple[str, str]],
        at: datetime,
        *,
        connection: Connection | None = None,
    ) -> Pipe:
        """Gives a pipe other properties, in this order."""
        given = tuple(properties)
        return self.change(
            pipe_id,
            lambda pipe: replace(pipe, properties=given, modified_at=at),
            connection=connection,
        )

    def request_refresh(
        self, pipe_id: str, at: datetime, *, connection: Connection | None = None
    ) -> Pipe:
        """Asks the loop to look for files at once."""
        return self.change(
            pipe_id, lambda pipe: replace(pipe, refresh_requested_at=at), connection=connection
        )

    def take_refresh(
        self, pipe_id: str, requested_at: datetime, *, connection: Connection | None = None
    ) -> Pipe:
        """Notes that the request of that time was served; a later one stays."""

        def rule(pipe: Pipe) -> Pipe:
            served = pipe.refresh_requested_at == requested_at
            return replace(pipe, refresh_requested_at=None) if served else pipe

        return self.change(pipe_id, rule, connection=connection)

    def add_counts(
        self,
        pipe_id: str,
        *,
        rows: int = 0,
        files: int = 0,
        bytes: int = 0,
        failed_files: int = 0,
        skipped_files: int = 0,
        malformed_messages: int = 0,
        connection: Connection | None = None,
    ) -> Pipe:
        """Adds to what a pipe did; nothing that others add meanwhile is lost."""

        def more(old: PipeCounters) -> PipeCounters:
            return replace(
                old,
                rows=old.rows + rows,
                files=old.files + files,
                bytes=old.bytes + bytes,
                failed_files=old.failed_files + failed_files,
                skipped_files=old.skipped_files + skipped_files,
                malformed_messages=old.malformed_messages + malformed_messages,
            )

        return self.change(
            pipe_id,
            lambda pipe: replace(pipe, counters=more(pipe.counters)),
            connection=connection,
        )

    def set_pending(
        self,
        pipe_id: str,
        *,
        files: int,
        bytes: int,
        oldest_at: datetime | None,
        connection: Connection | None = None,
    ) -> Pipe:
        """Says what waits for a pipe now."""

        def rule(pipe: Pipe) -> Pipe:
            counters = replace(
                pipe.counters,
                pending_files=files,
                pending_bytes=bytes,
                oldest_pending_at=oldest_at,
            )
            return replace(pipe, counters=counters)

        return self.change(pipe_id, rule, connection=connection)

    def set_latency(
        self,
        pipe_id: str,
        latency: Mapping[str, Any] | None,
        *,
        connection: Connection | None = None,
    ) -> Pipe:
        """Says how far a pipe is behind its source."""
        return self.change(
            pipe_id, lambda pipe: replace(pipe, latency=latency), connection=connection
        )

    def _one(
        self, query: Select[Any], connection: Connection | None, values: Mapping[str, str]
    ) -> Pipe | None:
        with self._database.read(connection) as own:
            row = own.execute(query, values).one_or_none()
        return None if row is None else pipe_from(row)

    def _all(self, query: Select[Any], connection: Connection | None) -> builtins.list[Pipe]:
        ordered = query.order_by(workspaces.c.name, schemas.c.name, pipes.c.name)
        with self._database.read(connection) as own:
            return [pipe_from(row) for row in own.execute(ordered)]


def not_found(name: str) -> UserError:
    """The error for a pipe that is not there."""
    return UserError("PIPE_NOT_FOUND", name=name)


@cache
def _named() -> Select[Any]:
    return select_pipes().where(
        workspaces.c.name == bindparam("workspace"),
        schemas.c.name == bindparam("schema"),
        pipes.c.name == bindparam("name"),
    )


@cache
def _with_id() -> Select[Any]:
    return select_pipes().where(pipes.c.id == bindparam("id"))


@cache
def _locked() -> Select[Any]:
    return _with_id().with_for_update(of=pipes)


def _in(workspace: str, schema: str | None) -> Select[Any]:
    query = select_pipes().where(workspaces.c.name == workspace)
    return query if schema is None else query.where(schemas.c.name == schema)


def _volumes_behind(connection_id: str) -> Select[Any]:
    """The ids of the volumes that find the connection by its name, in their workspace."""
    theirs = connections.c.workspace_id == schemas.c.workspace_id
    return (
        select(volumes.c.id)
        .join_from(volumes, schemas)
        .join(connections, theirs & (connections.c.name == volumes.c.connection_name))
        .where(connections.c.id == connection_id)
        .correlate(None)
    )


def _clash(own: Connection, pipe: Pipe) -> UserError:
    """Why a pipe could not be added: somebody has its name, its volume or its group."""
    name = str(pipe.qualified)
    taken = UserError("PIPE_ALREADY_EXISTS", name=name)
    same_name = _in(pipe.workspace, pipe.schema).where(pipes.c.name == pipe.name)
    if own.execute(same_name).one_or_none() is not None:
        return taken
    if other := _reader(own, pipes.c.volume_id, pipe.volume_id):
        volume = pipe.input_name.removeprefix("volume:")
        return UserError("VOLUME_HAS_PIPE", volume=volume, pipe=_seen_from(pipe, other))
    if other := _reader(own, pipes.c.kafka_group, pipe.kafka_group):
        _bootstrap, _, read = str(other.kafka_group).partition("|")
        topic, _, group = read.partition("|")
        return UserError(
            "KAFKA_GROUP_HAS_PIPE", group=group, topic=topic, pipe=_seen_from(pipe, other)
        )
    return taken


def _reader(own: Connection, source: Column[str], wanted: str | None) -> Pipe | None:
    """The pipe that already reads a source."""
    if wanted is None:
        return None
    row = own.execute(select_pipes().where(source == wanted)).one_or_none()
    return None if row is None else pipe_from(row)


def _seen_from(pipe: Pipe, other: Pipe) -> str:
    """The name of another pipe, with its workspace where that is another one."""
    name = other.qualified
    return str(name) if other.workspace == pipe.workspace else name.full


def _changeable(pipe: Pipe) -> dict[str, Any]:
    values = pipe_values(pipe)
    return {name: values[name] for name in _CHANGEABLE}
