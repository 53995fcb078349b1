"""The store's workspaces, the tops of all names. Invariant: a name is unique and never removed."""

from __future__ import annotations

import builtins
import uuid
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from headwater.catalog.objects import Workspace
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import workspaces
from headwater.errors import UserError

_NAMED = select(workspaces).where(workspaces.c.name == bindparam("name"))
_ID = select(workspaces.c.id).where(workspaces.c.name == bindparam("name"))


class Workspaces:
    """Makes and finds workspaces."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, name: str, *, connection: Connection | None = None) -> Workspace:
        """The workspace `name`, created if it is not there."""
        with self._database.write(connection) as own:
            found = self.get(name, connection=own)
            if found is not None:
                return found
            values = {"id": uuid.uuid4().hex, "name": name, "created_at": self._database.clock()}
            insert_unless_taken(own, workspaces, values)
            # Read back, because another process may have been the one that created it.
            return _workspace(own.execute(_NAMED, {"name": name}).one())

    def get(self, name: str, *, connection: Connection | None = None) -> Workspace | None:
        """The workspace `name`, or None."""
        with self._database.read(connection) as own:
            row = own.execute(_NAMED, {"name": name}).one_or_none()
        return None if row is None else _workspace(row)

    def list(self) -> builtins.list[Workspace]:
        """All workspaces by name."""
        with self._database.read() as own:
            return [_workspace(row) for row in own.execute(select(workspaces).order_by("name"))]


def workspace_id(connection: Connection, name: str) -> str:
    """The id of a workspace; WORKSPACE_NOT_FOUND when there is none."""
    found: str | None = connection.execute(_ID, {"name": name}).scalar_one_or_none()
    if found is None:
        raise UserError("WORKSPACE_NOT_FOUND", workspace=name)
    return found


def _workspace(row: Row[Any]) -> Workspace:
    return Workspace(row.id, row.name, row.created_at)
