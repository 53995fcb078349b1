"""Objects as the decision on access sees them: their ids, owners and schemas; one query for each.

Invariant: a function is known by its schema and name, because a new definition gives it a new id;
everything else by its id, so that a RENAME keeps what was granted and another object of the same
name gets nothing.
"""

from __future__ import annotations

import builtins
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, literal, select

from headwater.access.grants import Secured
from headwater.catalog.objects import TableKind, TableState
from headwater.catalog.store.access_model import grants
from headwater.catalog.store.database import Database
from headwater.catalog.store.file_model import connections, volumes
from headwater.catalog.store.model import jobs, schemas, tables, workspaces
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.stream_model import functions
from headwater.catalog.store.vcluster_model import vclusters
from headwater.catalog.vclusters import BUILT_IN
from headwater.names import ObjectName, QualifiedName, show_identifier
from headwater.sql.privileges import Privilege, Securable

_INSIDE = {
    Securable.TABLE: tables,
    Securable.VOLUME: volumes,
    Securable.PIPE: pipes,
    Securable.FUNCTION: functions,
}
"""What lives in a schema."""
_BESIDE = {Securable.CONNECTION: connections, Securable.VCLUSTER: vclusters}
"""What lives in a workspace."""
_OF_WORKSPACE = workspaces.c.name == bindparam("workspace")


class Securables:
    """Finds objects and their owners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(
        self, kind: Securable, name: QualifiedName, *, connection: Connection | None = None
    ) -> Secured | None:
        """The object of that name; a schema is named by `schema`, others without one by `name`."""
        names = {"workspace": name.workspace, "schema": name.schema, "name": name.name}
        with self._database.read(connection) as own:
            row = own.execute(_named(kind), names).first()
        return None if row is None else _secured(kind, row)

    def dropped(
        self, name: QualifiedName, *, connection: Connection | None = None
    ) -> Secured | None:
        """The table of that name that was dropped last."""
        query = (
            _tables(TableState.DROPPED)
            .where(schemas.c.name == name.schema, tables.c.name == name.name)
            .order_by(tables.c.dropped_at.desc())
        )
        with self._database.read(connection) as own:
            row = own.execute(query, {"workspace": name.workspace}).first()
        return None if row is None else _secured(Securable.TABLE, row)

    def list(
        self,
        kind: Securable,
        workspace: str,
        schema: str | None = None,
        *,
        connection: Connection | None = None,
    ) -> builtins.list[Secured]:
        """All objects of a kind, or those in a schema."""
        query = _select(kind)
        if schema is not None:
            query = query.where(schemas.c.name == schema)
        with self._database.read(connection) as own:
            rows = own.execute(query, {"workspace": workspace})
            return [_secured(kind, row) for row in rows]


def gone(kind: Securable, object_id: ColumnElement[str]) -> ColumnElement[bool] | None:
    """The condition that no object of a kind has that id; None for what has no grants."""
    if kind is Securable.JOB:
        return None
    known = {Securable.SCHEMA: schemas, **_INSIDE, **_BESIDE}[kind]
    query = select(literal(1)).where(_id(kind, known) == object_id)
    if kind is Securable.SCHEMA:
        query = query.where(schemas.c.dropped_at.is_(None))
    return ~query.exists()


def _id(kind: Securable, table: Any) -> Any:
    if kind is Securable.FUNCTION:
        return functions.c.schema_id + "." + functions.c.name
    return table.c.id


@cache
def _named(kind: Securable) -> Select[Any]:
    """The object of a kind that has the name of the parameters."""
    query = _select(kind)
    if kind is Securable.SCHEMA:
        return query.where(schemas.c.name == bindparam("schema"))
    if kind in _INSIDE:
        named = _INSIDE[kind].c.name == bindparam("name")
        return query.where(schemas.c.name == bindparam("schema"), named)
    if kind in _BESIDE:
        return query.where(_BESIDE[kind].c.name == bindparam("name"))
    return query.where(jobs.c.id == bindparam("name"))


@cache
def _select(kind: Securable) -> Select[Any]:
    """The objects of a kind in the workspace that the parameters name."""
    if kind is Securable.TABLE:
        return _tables(TableState.ACTIVE)
    if kind is Securable.SCHEMA:
        return (
            _columns(kind, schemas, schemas.c.name.label("schema_name"))
            .join_from(schemas, workspaces)
            .where(_OF_WORKSPACE, schemas.c.dropped_at.is_(None))
        )
    if kind in _INSIDE:
        return _inside(kind, _INSIDE[kind])
    if kind in _BESIDE:
        beside = _BESIDE[kind]
        query = _columns(kind, beside).join_from(beside, workspaces)
        return query.where(_OF_WORKSPACE)
    return select(jobs.c.id, jobs.c.id.label("name"), jobs.c.creator, literal(None).label("owner"))


def _tables(state: TableState) -> Select[Any]:
    query = _inside(Securable.TABLE, tables).add_columns(tables.c.kind)
    return query.where(tables.c.state == state)


def _inside(kind: Securable, table: Any) -> Select[Any]:
    granted = grants.alias("schema_grants")
    owner = (
        select(granted.c.grantee)
        .where(
            granted.c.kind == Securable.SCHEMA,
            granted.c.object_id == schemas.c.id,
            granted.c.privilege == Privilege.OWNERSHIP,
        )
        .scalar_subquery()
    )
    return (
        _columns(
            kind,
            table,
            schemas.c.id.label("schema_id"),
            schemas.c.name.label("schema_name"),
            schemas.c.creator.label("schema_creator"),
            owner.label("schema_owner"),
        )
        .join_from(table, schemas)
        .join(workspaces)
        .where(_OF_WORKSPACE)
    )


def _columns(kind: Securable, table: Any, *more: Any) -> Select[Any]:
    owner = (
        select(grants.c.grantee)
        .where(
            and_(
                grants.c.kind == kind,
                grants.c.object_id == _id(kind, table),
                grants.c.privilege == Privilege.OWNERSHIP,
            )
        )
        .scalar_subquery()
    )
    named = (_id(kind, table).label("id"), table.c.name, table.c.creator, owner.label("owner"))
    return select(*named, *more)


def _secured(kind: Securable, row: Row[Any]) -> Secured:
    held = row._mapping
    inside = kind in _INSIDE
    name = ObjectName(row.name, held["schema_name"]) if inside else None
    words = TableKind(held["kind"]).words if kind is Securable.TABLE else kind.value
    return Secured(
        kind=kind,
        id=row.id,
        owner=row.owner or row.creator,
        words=words,
        name=str(name) if name is not None else show_identifier(row.name),
        schema_id=held["schema_id"] if inside else None,
        schema_owner=held["schema_owner"] or held["schema_creator"] if inside else None,
        free_use=kind is Securable.VCLUSTER and row.name in BUILT_IN,
    )
