"""The store's tasks and their versions.

Invariant: a task is ONLINE or PAUSED only with a submitted version; versions are never changed,
but for the names of tasks that were renamed.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, insert, select, update

from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import workspaces
from headwater.catalog.store.task_model import alerts, task_instances, task_versions, tasks
from headwater.catalog.store.workspaces import workspace_id
from headwater.catalog.tasks import (
    OPEN_STATES,
    InstanceState,
    Task,
    TaskDefinition,
    TaskState,
    TaskVersion,
    Trigger,
)
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind

_OF_TASKS = (AlertKind.TASK_FAILURE, AlertKind.TASK_TIMEOUT)


class Tasks:
    """Makes, finds, changes and drops tasks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, made: Task, *, connection: Connection | None = None) -> None:
        """Adds a task with its draft; TASK_ALREADY_EXISTS when its name is taken."""
        with self._database.write(connection) as own:
            values = {
                "id": made.id,
                "workspace_id": workspace_id(own, made.name.workspace),
                "folder": made.name.schema,
                "name": made.name.name,
                "owner": made.owner,
                "created_at": made.created_at,
                "modified_at": made.modified_at,
                "draft": made.draft.to_dict(),
                "state": TaskState.OFFLINE,
            }
            if not insert_unless_taken(own, tasks, values):
                raise UserError("TASK_ALREADY_EXISTS", name=made.name)

    def get(self, name: QualifiedName, *, connection: Connection | None = None) -> Task | None:
        """The task of that name, or None."""
        found = _select().where(
            workspaces.c.name == name.workspace,
            tasks.c.folder == name.schema,
            tasks.c.name == name.name,
        )
        with self._database.read(connection) as own:
            row = own.execute(found).one_or_none()
        return None if row is None else _task(row)

    def by_id(self, task_id: str, *, connection: Connection | None = None) -> Task | None:
        """The task with that id, or None."""
        with self._database.read(connection) as own:
            row = own.execute(_select().where(tasks.c.id == task_id)).one_or_none()
        return None if row is None else _task(row)

    def list(
        self, workspace: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Task]:
        """The tasks of a workspace, or of all, by folder and name."""
        query = _select().order_by(workspaces.c.name, tasks.c.folder, tasks.c.name)
        if workspace is not None:
            query = query.where(workspaces.c.name == workspace)
        with self._database.read(connection) as own:
            return [_task(row) for row in own.execute(query)]

    def set_draft(
        self,
        task_id: str,
        draft: TaskDefinition,
        at: datetime,
        *,
        connection: Connection | None = None,
    ) -> None:
        """Changes what somebody is working on; what runs stays."""
        changed = update(tasks).where(tasks.c.id == task_id)
        with self._database.write(connection) as own:
            own.execute(changed.values(draft=draft.to_dict(), modified_at=at))

    def rename(
        self, task: Task, to: QualifiedName, at: datetime, *, connection: Connection | None = None
    ) -> None:
        """Gives a task another name, everywhere; TASK_ALREADY_EXISTS when it is taken."""
        with self._database.write(connection) as own:
            taken = self.get(to, connection=own)
            if taken is not None and taken.id != task.id:
                raise UserError("TASK_ALREADY_EXISTS", name=to)
            values = {"folder": to.schema, "name": to.name, "modified_at": at}
            own.execute(update(tasks).where(tasks.c.id == task.id).values(values))
            for other in self.list(to.workspace, connection=own):
                self._follow(other, task.name, to, own)
            old, new = ([n.workspace, n.schema, n.name] for n in (task.name, to))
            # A dynamic table may have the name of a task.
            told = update(alerts).where(alerts.c.target == old, alerts.c.kind.in_(_OF_TASKS))
            own.execute(told.values(target=new))

    def _follow(
        self, other: Task, old: QualifiedName, new: QualifiedName, connection: Connection
    ) -> None:
        """A task that comes after the one of the old name comes after the one of the new."""

        def renamed(definition: TaskDefinition) -> TaskDefinition:
            after = tuple(new if name == old else name for name in definition.after)
            return replace(definition, after=after)

        if old in other.draft.after:
            draft = renamed(other.draft).to_dict()
            connection.execute(update(tasks).where(tasks.c.id == other.id).values(draft=draft))
        for kept in self.versions(other.id, connection=connection):
            if old in kept.definition.after:
                self.replace_version(
                    other.id, kept.version, renamed(kept.definition), connection=connection
                )

    def submit(
        self, task: Task, at: datetime, *, by: str, connection: Connection | None = None
    ) -> int:
        """Makes the draft the version that runs, and says which that is.

        A task that was offline has instances from now on; one that was not, goes on.
        """
        with self._database.write(connection) as own:
            locked = select(tasks.c.version).where(tasks.c.id == task.id).with_for_update()
            version: int = (own.execute(locked).scalar() or 0) + 1
            own.execute(
                insert(task_versions),
                {
                    "task_id": task.id,
                    "version": version,
                    "definition": task.draft.to_dict(),
                    "submitted_at": at,
                    "submitted_by": by,
                },
            )
            values: dict[str, Any] = {"version": version, "modified_at": at}
            if task.state is TaskState.OFFLINE:
                values |= {"state": TaskState.ONLINE, "online_since": at, "generated_to": at}
            elif task.deployed is None or task.deployed.cycle != task.draft.cycle:
                # Plan times of the new cycle that are over already are not made up for.
                values |= {"generated_to": at}
            own.execute(update(tasks).where(tasks.c.id == task.id).values(values))
        return version

    def put_online(self, task_id: str, at: datetime, *, connection: Connection) -> None:
        """Lets the submitted version of a task that was offline run from now on."""
        values = {"state": TaskState.ONLINE, "online_since": at, "generated_to": at}
        connection.execute(
            update(tasks).where(tasks.c.id == task_id).values(**values, modified_at=at)
        )

    def set_state(
        self,
        ids: Collection[str],
        state: TaskState,
        at: datetime,
        *,
        connection: Connection | None = None,
    ) -> None:
        """Pauses, resumes or takes tasks offline; with the latter what waits is terminated."""
        changed = update(tasks).where(tasks.c.id.in_(ids), tasks.c.version.is_not(None))
        with self._database.write(connection) as own:
            own.execute(changed.values(state=state, modified_at=at))
            if state is TaskState.OFFLINE:
                columns = task_instances.c
                waiting = update(task_instances).where(
                    columns.task_id.in_(ids),
                    columns.trigger == Trigger.SCHEDULE,
                    columns.state.in_(OPEN_STATES - {InstanceState.RUNNING}),
                )
                values = {
                    "state": InstanceState.TERMINATED,
                    "ended_at": at,
                    "error": "the task was taken offline",
                }
                own.execute(waiting.values(values))

    def drop(self, task_id: str, *, connection: Connection | None = None) -> None:
        """Forgets a task, its versions and its instances."""
        with self._database.write(connection) as own:
            own.execute(delete(tasks).where(tasks.c.id == task_id))

    def versions(
        self, task_id: str, *, connection: Connection | None = None
    ) -> builtins.list[TaskVersion]:
        """What was submitted, newest first."""
        columns = task_versions.c
        query = select(task_versions).where(columns.task_id == task_id)
        with self._database.read(connection) as own:
            rows = own.execute(query.order_by(columns.version.desc())).all()
        return [_version(row) for row in rows]

    def version(self, task_id: str, version: int) -> TaskVersion | None:
        """One of them."""
        columns = task_versions.c
        query = select(task_versions).where(columns.task_id == task_id, columns.version == version)
        with self._database.read() as own:
            row = own.execute(query).one_or_none()
        return None if row is None else _version(row)

    def replace_version(
        self, task_id: str, version: int, definition: TaskDefinition, *, connection: Connection
    ) -> None:
        """Stores a version whose script was sealed anew."""
        columns = task_versions.c
        changed = update(task_versions).where(
            columns.task_id == task_id, columns.version == version
        )
        connection.execute(changed.values(definition=definition.to_dict()))


def _version(row: Row[Any]) -> TaskVersion:
    definition = TaskDefinition.from_dict(row.definition)
    return TaskVersion(row.version, definition, row.submitted_at, row.submitted_by)


def _select() -> Select[Any]:
    current = and_(
        task_versions.c.task_id == tasks.c.id, task_versions.c.version == tasks.c.version
    )
    return (
        select(tasks, task_versions.c.definition, workspaces.c.name.label("workspace_name"))
        .join_from(tasks, workspaces)
        .join(task_versions, current, isouter=True)
    )


def _task(row: Row[Any]) -> Task:
    return Task(
        id=row.id,
        name=QualifiedName(row.workspace_name, row.folder, row.name),
        owner=row.owner,
        created_at=row.created_at,
        modified_at=row.modified_at,
        draft=TaskDefinition.from_dict(row.draft),
        state=TaskState(row.state),
        version=row.version,
        deployed=None if row.definition is None else TaskDefinition.from_dict(row.definition),
        online_since=row.online_since,
        generated_to=row.generated_to,
    )
