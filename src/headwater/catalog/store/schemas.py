"""The store's schemas.

Invariant: a dropped schema holds no volume, no pipe, and no table that is active or being created;
its row stays, because dropped tables that can still be brought back refer to it.
"""

from __future__ import annotations

import builtins
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from headwater.catalog.objects import Schema, Table, TableKind, TableState
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.file_model import volumes
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.stream_model import functions
from headwater.catalog.store.table_rows import select_tables, table_from
from headwater.catalog.store.workspaces import workspace_id
from headwater.errors import TransientError, UserError
from headwater.names import QualifiedName, counted, show_identifier


class Schemas:
    """Makes, finds, changes and drops schemas."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, schema: Schema, *, connection: Connection | None = None) -> None:
        """Adds `schema`; SCHEMA_ALREADY_EXISTS when its name is taken."""
        with self._database.write(connection) as own:
            values = {
                "id": schema.id,
                "workspace_id": workspace_id(own, schema.workspace),
                "creator": schema.creator,
                "created_at": schema.created_at,
                **_changeable(schema),
            }
            if not insert_unless_taken(own, schemas, values):
                raise _already_exists(schema)

    def get(
        self, workspace: str, name: str, *, connection: Connection | None = None
    ) -> Schema | None:
        """The schema of that name, or None."""
        names = {"workspace": workspace, "name": name}
        with self._database.read(connection) as own:
            row = own.execute(_named(), names).one_or_none()
        return None if row is None else _schema(row)

    def list(
        self, workspace: str, *, connection: Connection | None = None
    ) -> builtins.list[Schema]:
        """All schemas of a workspace by name."""
        with self._database.read(connection) as own:
            rows = own.execute(_by_name(), {"workspace": workspace}).all()
        return [_schema(row) for row in rows]

    def update(self, schema: Schema, *, connection: Connection | None = None) -> None:
        """Stores name, comment, properties and modified_at of the schema with this id."""
        statement = (
            update(schemas)
            .where(schemas.c.id == schema.id, schemas.c.dropped_at.is_(None))
            .values(_changeable(schema))
        )
        with self._database.write(connection) as own:
            try:
                with own.begin_nested():
                    changed = own.execute(statement).rowcount
            except IntegrityError as error:
                raise _already_exists(schema) from error
            if not changed:
                raise UserError("SCHEMA_NOT_FOUND", name=show_identifier(schema.name))

    def drop(self, schema: Schema, at: datetime, *, connection: Connection | None = None) -> None:
        """Drops an empty schema; SCHEMA_NOT_EMPTY when it still holds anything."""
        with self._database.write(connection) as own:
            held = _held(own, schema, _lock_for_drop(own, schema))
            if held:
                raise UserError("SCHEMA_NOT_EMPTY", name=show_identifier(schema.name), held=held)
            _mark_dropped(own, schema, at)

    def drop_with_tables(
        self, schema: Schema, at: datetime, *, connection: Connection | None = None
    ) -> builtins.list[Table]:
        """Drops a schema and what it holds, and returns the tables and views as they were.

        Its pipes, volumes, streams and functions go for good, with what they recorded; the files
        of volumes stay.
        """
        with self._database.write(connection) as own:
            held = _lock_for_drop(own, schema)
            own.execute(delete(pipes).where(pipes.c.schema_id == schema.id))
            own.execute(delete(volumes).where(volumes.c.schema_id == schema.id))
            own.execute(delete(functions).where(functions.c.schema_id == schema.id))
            own.execute(
                delete(tables).where(
                    tables.c.schema_id == schema.id, tables.c.kind == TableKind.STREAM
                )
            )
            own.execute(
                update(tables)
                .where(tables.c.schema_id == schema.id, tables.c.state == TableState.ACTIVE)
                .values(state=TableState.DROPPED, dropped_at=at)
            )
            _mark_dropped(own, schema, at)
            return [table for table in held if table.kind is not TableKind.STREAM]


def live_schema_id(
    connection: Connection, workspace: str, name: str, *, alone: bool = False
) -> str:
    """The id of a schema, locked against being dropped until the transaction ends.

    With `alone` it is locked against everybody else who makes something in it, too.
    """
    names = {"workspace": workspace, "name": name}
    row = connection.execute(_locked(alone=alone), names).one_or_none()
    if row is None:
        raise UserError("SCHEMA_NOT_FOUND", name=show_identifier(name))
    schema_id: str = row.id
    return schema_id


def _lock_for_drop(connection: Connection, schema: Schema) -> builtins.list[Table]:
    """Locks the schema against new tables and returns the ones it holds."""
    query = select(schemas.c.id).where(schemas.c.id == schema.id, schemas.c.dropped_at.is_(None))
    if connection.execute(query.with_for_update()).one_or_none() is None:
        raise UserError("SCHEMA_NOT_FOUND", name=show_identifier(schema.name))
    live = (TableState.ACTIVE, TableState.CREATING)
    rows = connection.execute(
        select_tables()
        .where(tables.c.schema_id == schema.id, tables.c.state.in_(live))
        .order_by(tables.c.name)
    )
    held = [table_from(row) for row in rows]
    for table in held:
        if table.state is TableState.CREATING:
            name = str(QualifiedName(table.workspace, table.schema, table.name))
            raise TransientError("SCHEMA_BUSY", name=show_identifier(schema.name), table=name)
    return held


def _held(connection: Connection, schema: Schema, tables: builtins.list[Table]) -> str:
    """What a schema holds, in words; empty when it holds nothing."""
    streams = sum(table.kind is TableKind.STREAM for table in tables)
    words = [f"{len(tables) - streams} tables and views"] if len(tables) > streams else []
    words += [counted(streams, "stream")] if streams else []
    for noun, held in (("volume", volumes), ("pipe", pipes), ("function", functions)):
        query = select(func.count()).where(held.c.schema_id == schema.id)
        count: int = connection.execute(query).scalar_one()
        words += [counted(count, noun)] if count else []
    return " and ".join(words)


def _mark_dropped(connection: Connection, schema: Schema, at: datetime) -> None:
    statement = update(schemas).where(schemas.c.id == schema.id)
    connection.execute(statement.values(dropped_at=at, modified_at=at))


def _already_exists(schema: Schema) -> UserError:
    return UserError("SCHEMA_ALREADY_EXISTS", name=show_identifier(schema.name))


def _changeable(schema: Schema) -> dict[str, Any]:
    return {
        "name": schema.name,
        "modified_at": schema.modified_at,
        "comment": schema.comment,
        "properties": dict(schema.properties),
    }


def _live() -> Select[Any]:
    return (
        select(schemas, workspaces.c.name.label("workspace_name"))
        .join_from(schemas, workspaces)
        .where(workspaces.c.name == bindparam("workspace"), schemas.c.dropped_at.is_(None))
    )


@cache
def _by_name() -> Select[Any]:
    return _live().order_by(schemas.c.name)


@cache
def _named() -> Select[Any]:
    return _live().where(schemas.c.name == bindparam("name"))


@cache
def _locked(*, alone: bool) -> Select[Any]:
    return _named().with_for_update(read=not alone, of=schemas)


def _schema(row: Row[Any]) -> Schema:
    return Schema(
        id=row.id,
        workspace=row.workspace_name,
        name=row.name,
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        comment=row.comment,
        properties=row.properties,
    )
