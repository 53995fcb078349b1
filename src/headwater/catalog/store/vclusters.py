"""The store's virtual clusters.

Invariant: a cluster that a pipe or a dynamic table names goes away only by force, and those of
every workspace never do.
"""

from __future__ import annotations

import builtins
import uuid
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, select, update

from headwater.catalog.jobs import FINAL_STATES, JobState
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.dynamic_table_model import dynamic_tables
from headwater.catalog.store.model import jobs, schemas, tables, workspaces
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.task_model import tasks
from headwater.catalog.store.vcluster_model import vclusters
from headwater.catalog.store.workspaces import workspace_id
from headwater.catalog.vclusters import BUILT_IN, VirtualCluster
from headwater.errors import UserError
from headwater.sql.vcluster_properties import cluster_properties_of

_USERS_NAMED = 3
_SYSTEM = "system"
_AT_WORK = tuple(state for state in JobState if state not in FINAL_STATES)


class VirtualClusters:
    """Makes, finds, changes and drops virtual clusters."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure_built_in(self, workspace: str) -> None:
        """Adds those clusters that every workspace has."""
        with self._database.read() as own:
            known = {row.name for row in own.execute(_select(), {"workspace": workspace})}
        if known >= BUILT_IN.keys():
            return
        with self._database.write() as own:
            for name in BUILT_IN.keys() - known:
                insert_unless_taken(own, vclusters, self._built_in(own, workspace, name))

    def _built_in(self, own: Connection, workspace: str, name: str) -> dict[str, Any]:
        at = self._database.clock()
        return {
            "id": uuid.uuid4().hex,
            "workspace_id": workspace_id(own, workspace),
            "name": name,
            "creator": _SYSTEM,
            "created_at": at,
            "modified_at": at,
            "active_at": at,
            "properties": [builtins.list(pair) for pair in BUILT_IN[name]],
            "suspended": False,
        }

    def create(self, made: VirtualCluster, *, connection: Connection | None = None) -> None:
        """Adds a cluster; VCLUSTER_ALREADY_EXISTS when its name is taken."""
        with self._database.write(connection) as own:
            values = {
                "id": made.id,
                "workspace_id": workspace_id(own, made.workspace),
                "name": made.name,
                "creator": made.creator,
                "created_at": made.created_at,
                "active_at": made.active_at,
                **_changeable(made),
            }
            if not insert_unless_taken(own, vclusters, values):
                raise UserError("VCLUSTER_ALREADY_EXISTS", name=made.name)

    def get(
        self, workspace: str, name: str, *, connection: Connection | None = None
    ) -> VirtualCluster | None:
        """The cluster of that name, whatever its case, or None."""
        names = {"workspace": workspace, "name": name.upper()}
        with self._database.read(connection) as own:
            row = own.execute(_named(), names).one_or_none()
        return None if row is None else _cluster(row)

    def list(self, workspace: str) -> builtins.list[VirtualCluster]:
        """The clusters of a workspace, by name."""
        with self._database.read() as own:
            query = _select().order_by(vclusters.c.name)
            rows = own.execute(query, {"workspace": workspace}).all()
        return [_cluster(row) for row in rows]

    def update(self, changed: VirtualCluster) -> None:
        """Stores the properties, the comment and the wanted state of a cluster."""
        statement = update(vclusters).where(vclusters.c.id == changed.id)
        with self._database.write() as own:
            if not own.execute(statement.values(_changeable(changed))).rowcount:
                raise UserError("VCLUSTER_NOT_FOUND", name=changed.name)

    def resume(self, cluster_id: str, at: datetime) -> None:
        """Lets it run jobs; its idle time begins anew."""
        self._set(cluster_id, {"suspended": False, "active_at": at})

    def suspend(self, cluster_id: str) -> None:
        """Notes that it is to start no further job."""
        self._set(cluster_id, {"suspended": True})

    def note_activity(self, cluster_id: str, at: datetime) -> None:
        """Notes that it had work at a moment."""
        self._set(cluster_id, {"active_at": at})

    def _set(self, cluster_id: str, values: dict[str, Any]) -> None:
        with self._database.write() as own:
            own.execute(update(vclusters).where(vclusters.c.id == cluster_id).values(values))

    def jobs_of(self, workspace: str, name: str) -> builtins.list[tuple[str, str, str, str]]:
        """Its unfinished jobs of all processes: id, kind, state and process, oldest first."""
        columns = select(jobs.c.id, jobs.c.kind, jobs.c.state, jobs.c.instance)
        query = columns.where(
            jobs.c.state.in_(_AT_WORK), jobs.c.workspace == workspace, jobs.c.vcluster == name
        )
        with self._database.read() as own:
            rows = own.execute(query.order_by(jobs.c.started_at, jobs.c.id)).all()
        return [(row.id, row.kind, row.state, row.instance) for row in rows]

    def drop(self, dropped: VirtualCluster, *, force: bool = False) -> None:
        """Removes a cluster; VCLUSTER_IN_USE when something names it, unless forced."""
        if dropped.name in BUILT_IN:
            raise UserError("VCLUSTER_BUILT_IN", name=dropped.name)
        with self._database.write() as own:
            users = _users(own, dropped)
            if users and not force:
                raise UserError("VCLUSTER_IN_USE", name=dropped.name, users=_in_words(users))
            if not own.execute(delete(vclusters).where(vclusters.c.id == dropped.id)).rowcount:
                raise UserError("VCLUSTER_NOT_FOUND", name=dropped.name)


def _users(own: Connection, cluster: VirtualCluster) -> builtins.list[str]:
    """The pipes, dynamic tables and tasks that name a cluster."""
    inside = workspaces.c.name == cluster.workspace
    found = []
    named_pipes = (
        select(schemas.c.name.label("schema"), pipes.c.name, pipes.c.properties)
        .join_from(pipes, schemas)
        .join(workspaces)
        .where(inside, schemas.c.dropped_at.is_(None))
        .order_by(schemas.c.name, pipes.c.name)
    )
    for row in own.execute(named_pipes):
        given = {str(key).upper(): value for key, value in row.properties}
        if str(given.get("VIRTUAL_CLUSTER", "")).upper() == cluster.name:
            found.append(f"pipe {row.schema}.{row.name}")
    scheduled = (
        select(schemas.c.name.label("schema"), tables.c.name, dynamic_tables.c.schedule)
        .join_from(dynamic_tables, tables)
        .join(schemas)
        .join(workspaces)
        .where(inside, tables.c.dropped_at.is_(None), schemas.c.dropped_at.is_(None))
        .order_by(schemas.c.name, tables.c.name)
    )
    for row in own.execute(scheduled):
        if ((row.schedule or {}).get("vcluster") or "").upper() == cluster.name:
            found.append(f"dynamic table {row.schema}.{row.name}")
    drafts = select(tasks.c.folder, tasks.c.name, tasks.c.draft).join_from(tasks, workspaces)
    for row in own.execute(drafts.where(inside).order_by(tasks.c.folder, tasks.c.name)):
        if (row.draft.get("vcluster") or "").upper() == cluster.name:
            found.append(f"task {row.folder}.{row.name}")
    return found


def _in_words(users: builtins.list[str]) -> str:
    named = users[:_USERS_NAMED]
    more = len(users) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _changeable(cluster: VirtualCluster) -> dict[str, Any]:
    return {
        "modified_at": cluster.modified_at,
        "properties": [builtins.list(pair) for pair in cluster.properties.given],
        "comment": cluster.comment,
        "suspended": cluster.suspended,
    }


@cache
def _select() -> Select[Any]:
    columns = select(vclusters, workspaces.c.name.label("workspace_name"))
    theirs = workspaces.c.name == bindparam("workspace")
    return columns.join_from(vclusters, workspaces).where(theirs)


@cache
def _named() -> Select[Any]:
    return _select().where(vclusters.c.name == bindparam("name"))


def _cluster(row: Row[Any]) -> VirtualCluster:
    return VirtualCluster(
        id=row.id,
        workspace=row.workspace_name,
        name=row.name,
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        active_at=row.active_at,
        properties=cluster_properties_of((str(key), str(value)) for key, value in row.properties),
        comment=row.comment,
        suspended=row.suspended,
    )
