"""The store's tables and views, from the intent to create one until it is purged.

Invariant: a name stands for at most one table that is ACTIVE or CREATING, and a table's shape and
its history change together, only from the Delta version that the writer started from.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, select, update

from headwater.catalog.objects import (
    Table,
    TableEntry,
    TableKind,
    TableShape,
    TableState,
    TableVersion,
)
from headwater.catalog.store.bulk import one_of
from headwater.catalog.store.connections import require_connection
from headwater.catalog.store.database import Database
from headwater.catalog.store.dynamic_table_rows import move_frontiers
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.stream_rows import move_streams
from headwater.catalog.store.table_moves import (
    insert_table,
    move_table,
    name_taken,
    state_illegal,
    take_name,
)
from headwater.catalog.store.table_rows import (
    insert_versions,
    select_tables,
    shape_values,
    table_from,
)
from headwater.catalog.store.workspaces import workspace_id
from headwater.names import QualifiedName

_NAMED = select_tables().where(
    workspaces.c.name == bindparam("workspace"),
    schemas.c.name == bindparam("schema"),
    tables.c.name == bindparam("name"),
    tables.c.state == TableState.ACTIVE,
    schemas.c.dropped_at.is_(None),
)
_WITH_ID = select_tables().where(tables.c.id == bindparam("id"))


class Tables:
    """Makes, finds, changes, drops and brings back tables and views."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin_create(self, table: Table, *, connection: Connection | None = None) -> Table:
        """Stores the intent to create a table, which takes its name."""
        creating = replace(table, state=TableState.CREATING)
        with self._database.write(connection) as own:
            insert_table(own, creating)
        return creating

    def insert_active(self, table: Table, *, connection: Connection | None = None) -> Table:
        """Adds a table or view that is complete at once; a Kafka table needs its connection."""
        active = replace(table, state=TableState.ACTIVE)
        with self._database.write(connection) as own:
            if table.kind is TableKind.KAFKA:
                active = replace(active, location=table.location.lower())
                workspace = workspace_id(own, table.workspace)
                require_connection(own, workspace, active.location)
            insert_table(own, active)
        return active

    def activate(
        self,
        table: Table,
        first_version: TableVersion | None = None,
        *,
        later: Sequence[TableVersion] = (),
        connection: Connection | None = None,
    ) -> Table:
        """Makes a table visible whose creation is complete, with its shape and first version.

        A table that existed before it was attached has `later` ones too.
        """
        active = replace(table, state=TableState.ACTIVE)
        values = {
            "state": TableState.ACTIVE,
            "modified_at": table.modified_at,
            "location": table.location,
            **shape_values(table.shape),
        }
        with self._database.write(connection) as own:
            move_table(own, table, before=TableState.CREATING, values=values)
            made = [first_version, *later] if first_version else []
            insert_versions(own, table.id, made)
            move_streams(own, made)
            move_frontiers(own, table.id, made)
        return active

    def abandon(self, table_id: str, *, connection: Connection | None = None) -> bool:
        """Forgets a table whose creation came to nothing; False when there was none."""
        statement = delete(tables).where(
            tables.c.id == table_id, tables.c.state == TableState.CREATING
        )
        with self._database.write(connection) as own:
            return own.execute(statement).rowcount == 1

    def record(
        self,
        table_id: str,
        shape: TableShape,
        *,
        versions: Sequence[TableVersion],
        expected_delta_version: int,
        connection: Connection | None = None,
    ) -> bool:
        """Stores what commits did to a table: its new shape, and the versions they made.

        Returns False, and stores nothing, when the stored Delta version is no longer the expected
        one (somebody recorded those commits already) or the table is not active any more. The
        streams that the commits consumed, and the frontier of a dynamic table that they refreshed,
        move in the same transaction.
        """
        modified_at = versions[-1].committed_at if versions else self._database.clock()
        statement = update(tables).where(
            tables.c.id == table_id,
            tables.c.delta_version == expected_delta_version,
            tables.c.state == TableState.ACTIVE,
        )
        values = {"modified_at": modified_at, **shape_values(shape)}
        with self._database.write(connection) as own:
            if own.execute(statement.values(values)).rowcount != 1:
                return False
            insert_versions(own, table_id, versions)
            move_streams(own, versions)
            move_frontiers(own, table_id, versions)
            return True

    def replace_view(self, view: Table, *, connection: Connection | None = None) -> Table:
        """Gives a view a new query and shape, or adds it; it keeps its id, creator and age."""
        with self._database.write(connection) as own:
            old = self.get(view.workspace, view.schema, view.name, connection=own)
            if old is None:
                return self.insert_active(view, connection=own)
            if old.kind is not TableKind.VIEW:
                raise name_taken(old)
            values = {
                "view_text": view.view_text,
                "view_schema": view.view_schema,
                "modified_at": view.modified_at,
                **shape_values(view.shape),
            }
            move_table(own, old, before=TableState.ACTIVE, values=values)
            return replace(
                old,
                view_text=view.view_text,
                view_schema=view.view_schema,
                modified_at=view.modified_at,
                shape=view.shape,
            )

    def rename(
        self, table: Table, *, schema: str, name: str, connection: Connection | None = None
    ) -> Table:
        """Gives a table another name, in its own or another schema of its workspace."""
        modified_at = self._database.clock()
        renamed = replace(table, schema=schema, name=name, modified_at=modified_at)
        values = {"modified_at": modified_at}
        with self._database.write(connection) as own:
            take_name(own, renamed, before=TableState.ACTIVE, values=values)
        return renamed

    def drop(self, table: Table, at: datetime, *, connection: Connection | None = None) -> Table:
        """Makes a table invisible; it can be brought back until it is purged."""
        values = {"state": TableState.DROPPED, "dropped_at": at}
        with self._database.write(connection) as own:
            move_table(own, table, before=TableState.ACTIVE, values=values)
        return replace(table, state=TableState.DROPPED, dropped_at=at)

    def undrop(self, table: Table, *, connection: Connection | None = None) -> Table:
        """Brings a dropped table back under its name.

        If its schema was dropped too, it goes into the schema that bears that name now.
        """
        back = replace(table, state=TableState.ACTIVE, dropped_at=None)
        values = {"state": TableState.ACTIVE, "dropped_at": None}
        with self._database.write(connection) as own:
            take_name(own, back, before=TableState.DROPPED, values=values)
        return back

    def purge(self, table_id: str, *, connection: Connection | None = None) -> bool:
        """Removes a dropped table and its history for ever; False when it is gone already."""
        gone = delete(tables).where(tables.c.id == table_id, tables.c.state == TableState.DROPPED)
        with self._database.write(connection) as own:
            if own.execute(gone).rowcount:
                return True
            found = own.execute(select(tables.c.state).where(tables.c.id == table_id)).scalar()
            if found is not None:
                raise state_illegal(table_id, before=found, after="purged")
            return False

    def get(
        self,
        workspace: str,
        schema: str,
        name: str,
        *,
        connection: Connection | None = None,
    ) -> Table | None:
        """The active table or view of that name, or None."""
        names = {"workspace": workspace, "schema": schema, "name": name}
        return self._first(_NAMED, connection, names)

    def get_by_id(self, table_id: str, *, connection: Connection | None = None) -> Table | None:
        """The table with that id in whatever state, or None."""
        return self._first(_WITH_ID, connection, {"id": table_id})

    def by_ids(self, table_ids: Sequence[str]) -> dict[str, Table]:
        """Those of many tables that are there, in whatever state, by their ids."""
        with self._database.read() as own:
            rows = own.execute(select_tables().where(one_of(own, tables.c.id, table_ids))).all()
        return {row.id: table_from(row) for row in rows}

    def by_location(self, location: str, *, connection: Connection | None = None) -> Table | None:
        """The active table whose files are there, or None."""
        query = select_tables().where(
            tables.c.location == location, tables.c.state == TableState.ACTIVE
        )
        return self._first(query.order_by(tables.c.id).limit(1), connection)

    def list(
        self, workspace: str, schema: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Table]:
        """The active tables and views of a schema or of all schemas, by name; no streams."""
        query = _in(workspace, schema).where(
            tables.c.state == TableState.ACTIVE, tables.c.kind != TableKind.STREAM
        )
        return self._all(query.order_by(schemas.c.name, tables.c.name), connection)

    def listing(self, workspace: str, schema: str) -> builtins.list[TableEntry]:
        """What SHOW TABLES tells of each active table and view of a schema, by name."""
        query = _in(workspace, schema).where(
            tables.c.state == TableState.ACTIVE, tables.c.kind != TableKind.STREAM
        )
        few = query.with_only_columns(
            tables.c.name, tables.c.kind, tables.c.managed, maintain_column_froms=True
        )
        with self._database.read() as own:
            rows = own.execute(few.order_by(tables.c.name)).all()
        return [TableEntry(schema, row.name, TableKind(row.kind), row.managed) for row in rows]

    def names(self, workspace: str, schema: str) -> builtins.list[str]:
        """The names alone of the active tables and views of a schema."""
        query = _in(workspace, schema).where(tables.c.state == TableState.ACTIVE)
        names = query.with_only_columns(tables.c.name, maintain_column_froms=True)
        with self._database.read() as own:
            return builtins.list(own.execute(names.order_by(tables.c.name)).scalars())

    def qualified_names(self, workspace: str) -> dict[str, QualifiedName]:
        """The names of all tables and views of a workspace that are there, by their ids."""
        query = (
            select(tables.c.id, schemas.c.name.label("schema"), tables.c.name)
            .join_from(tables, schemas)
            .join(workspaces)
            .where(workspaces.c.name == workspace, tables.c.state == TableState.ACTIVE)
        )
        with self._database.read() as own:
            rows = own.execute(query).all()
        return {row.id: QualifiedName(workspace, row.schema, row.name) for row in rows}

    def creating(self) -> builtins.list[Table]:
        """The tables whose creation has begun and not ended, oldest first."""
        query = select_tables().where(tables.c.state == TableState.CREATING)
        return self._all(query.order_by(tables.c.created_at, tables.c.id), None)

    def dropped(self, workspace: str, schema: str | None = None) -> builtins.list[Table]:
        """The dropped tables and views that can be brought back, latest first.

        Those of a dropped schema are among them, under its name.
        """
        query = _in(workspace, schema).where(tables.c.state == TableState.DROPPED)
        return self._all(query.order_by(tables.c.dropped_at.desc(), tables.c.name), None)

    def latest_dropped(self, workspace: str, schema: str, name: str) -> Table | None:
        """The table of that name that was dropped last, or None."""
        query = _in(workspace, schema).where(
            tables.c.name == name, tables.c.state == TableState.DROPPED
        )
        return self._first(query.order_by(tables.c.dropped_at.desc()).limit(1), None)

    def _first(
        self,
        query: Select[Any],
        connection: Connection | None,
        values: Mapping[str, Any] | None = None,
    ) -> Table | None:
        with self._database.read(connection) as own:
            row = own.execute(query, values).one_or_none()
        return None if row is None else table_from(row)

    def _all(self, query: Select[Any], connection: Connection | None) -> builtins.list[Table]:
        with self._database.read(connection) as own:
            rows = own.execute(query).all()
        return [table_from(row) for row in rows]


def _in(workspace: str, schema: str | None) -> Select[Any]:
    query = select_tables().where(workspaces.c.name == workspace)
    return query if schema is None else query.where(schemas.c.name == schema)
