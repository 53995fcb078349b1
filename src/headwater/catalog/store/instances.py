"""The store's instances: the processes that have opened the lake.

Invariant: removing an instance also frees the lease it held, whose fencing number stays.
"""

from __future__ import annotations

import builtins
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from headwater.catalog.lease_rules import Instance
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import instances

_GONE = delete(instances).where(instances.c.id == bindparam("gone"))


class Instances:
    """Registers processes and their signs of life."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, instance: Instance, *, connection: Connection | None = None) -> None:
        """Adds a process, or stores it anew."""
        values = asdict(instance)
        with self._database.write(connection) as own:
            if not insert_unless_taken(own, instances, values):
                own.execute(update(instances).where(instances.c.id == instance.id).values(values))

    def heartbeat(self, instance: str, *, connection: Connection | None = None) -> bool:
        """Notes that the process is alive now; False when it is not registered."""
        statement = update(instances).where(instances.c.id == instance)
        with self._database.write(connection) as own:
            changed = own.execute(statement.values(heartbeat_at=self._database.clock()))
            return changed.rowcount == 1

    def set_address(self, instance: str, url: str | None) -> None:
        """Notes where the process listens, or that it listens no longer."""
        statement = update(instances).where(instances.c.id == instance)
        with self._database.write() as own:
            own.execute(statement.values(service_url=url))

    def get(self, instance: str, *, connection: Connection | None = None) -> Instance | None:
        """The process with that id, or None."""
        query = select(instances).where(instances.c.id == instance)
        with self._database.read(connection) as own:
            row = own.execute(query).one_or_none()
        return None if row is None else instance_from(row)

    def list(self) -> builtins.list[Instance]:
        """All registered processes, oldest first."""
        with self._database.read() as own:
            rows = own.execute(select(instances).order_by("started_at", "id")).all()
        return [instance_from(row) for row in rows]

    def remove(self, instance: str, *, connection: Connection | None = None) -> None:
        """Forgets a process."""
        with self._database.write(connection) as own:
            own.execute(_GONE, {"gone": instance})


def instance_from(row: Row[Any]) -> Instance:
    """The process of a row of `instances`."""
    return Instance(
        id=row.id,
        host=row.host,
        pid=row.pid,
        process_started=row.process_started,
        user_name=row.user_name,
        started_at=row.started_at,
        heartbeat_at=row.heartbeat_at,
        service_url=row.service_url,
    )
