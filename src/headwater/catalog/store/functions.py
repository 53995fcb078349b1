"""The store's functions.

Invariant: a name stands for one function in its schema, beside whatever table has the same name; a
function that is replaced keeps who made it and when.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, select, update

from headwater.catalog.functions import Function
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import schemas, workspaces
from headwater.catalog.store.schemas import live_schema_id
from headwater.catalog.store.stream_model import functions
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.create_function import FunctionParameter


class Functions:
    """Makes, finds and drops functions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, function: Function, *, connection: Connection | None = None) -> None:
        """Adds a function; FUNCTION_ALREADY_EXISTS when its name is taken."""
        with self._database.write(connection) as own:
            schema_id = live_schema_id(own, function.workspace, function.schema)
            made = {"creator": function.creator, "created_at": function.created_at}
            values = {**_definition(function), **made, "schema_id": schema_id}
            if not insert_unless_taken(own, functions, values):
                raise UserError("FUNCTION_ALREADY_EXISTS", name=function.qualified)

    def create_or_replace(
        self, function: Function, *, connection: Connection | None = None
    ) -> bool:
        """Adds a function, or gives the one of its name another definition; True if it did."""
        with self._database.write(connection) as own:
            schema_id = live_schema_id(own, function.workspace, function.schema, alone=True)
            named = (functions.c.schema_id == schema_id) & (functions.c.name == function.name)
            change = update(functions).where(named).values(_definition(function))
            replaced = bool(own.execute(change).rowcount)
            if not replaced:
                self.create(function, connection=own)
        return replaced

    def get(
        self, workspace: str, schema: str, name: str, *, connection: Connection | None = None
    ) -> Function | None:
        """The function of that name, or None."""
        wanted = QualifiedName(workspace, schema, name)
        return self.named([wanted], connection=connection).get(wanted)

    def named(
        self, names: Collection[QualifiedName], *, connection: Connection | None = None
    ) -> dict[QualifiedName, Function]:
        """Those of these names that are functions; one query for all of them."""
        query = _select().where(functions.c.name.in_({name.name for name in names}))
        with self._database.read(connection) as own:
            found = [_function(row) for row in own.execute(query)]
        return {function.qualified: function for function in found if function.qualified in names}

    def list(
        self, workspace: str, schema: str, *, connection: Connection | None = None
    ) -> builtins.list[Function]:
        """The functions of a schema, by name."""
        inside = (workspaces.c.name == workspace) & (schemas.c.name == schema)
        query = _select().where(inside).order_by(functions.c.name)
        with self._database.read(connection) as own:
            return [_function(row) for row in own.execute(query)]

    def drop(self, function: Function, *, connection: Connection | None = None) -> None:
        """Removes a function; FUNCTION_NOT_FOUND when it is gone already."""
        with self._database.write(connection) as own:
            if not own.execute(delete(functions).where(functions.c.id == function.id)).rowcount:
                raise UserError("FUNCTION_NOT_FOUND", name=function.qualified)


def _select() -> Select[Any]:
    return (
        select(
            functions,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(functions, schemas)
        .join(workspaces)
        .where(schemas.c.dropped_at.is_(None))
    )


def _definition(function: Function) -> dict[str, Any]:
    return {
        "id": function.id,
        "name": function.name,
        "parameters": [[p.name, p.type, p.comment] for p in function.parameters],
        "returns": function.returns,
        "body": function.body,
        "deterministic": function.deterministic,
        "comment": function.comment,
        "modified_at": function.modified_at,
    }


def _function(row: Row[Any]) -> Function:
    return Function(
        id=row.id,
        workspace=row.workspace_name,
        schema=row.schema_name,
        name=row.name,
        parameters=tuple(FunctionParameter(*parameter) for parameter in row.parameters),
        returns=row.returns,
        body=row.body,
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        deterministic=row.deterministic,
        comment=row.comment,
    )
