"""The store's lease: carries out what `lease_rules` decides.

Invariant: the row changes only if it is still the row the decision was made on, so that of two
processes asking at once exactly one is granted.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from headwater.catalog.lease_rules import Grant, Instance, Lease, decide, why_lost
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.instances import instance_from
from headwater.catalog.store.model import instances, lease
from headwater.errors import TransientError, UserError

_NAME = "writer"
_LEASE = select(lease).where(lease.c.name == _NAME)
_HOLDER = select(instances).where(instances.c.id == bindparam("holder"))
_CHANGE = update(lease).where(
    lease.c.name == _NAME,
    lease.c.holder == bindparam("my_instance"),
    lease.c.fencing == bindparam("my_fencing"),
)


class WriterLease:
    """The right to write the lake, held by one process at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(
        self, instance: str, *, ttl: timedelta, holder_alive: Callable[[Instance], bool]
    ) -> int:
        """Takes the lease for a registered process and returns its fencing number.

        Args:
            instance: id of the process that asks.
            ttl: how long the lease holds unless it is renewed.
            holder_alive: whether the process of the present holder lives, as far as can be known;
                it is asked outside any transaction.

        Raises:
            UserError: LAKE_LOCKED, naming the holder.
        """
        while True:
            current, holder = self._read()
            now = self._database.clock()
            alive = holder is not None and holder_alive(holder)
            decision = decide(current, instance, now=now, holder_alive=alive)
            if not isinstance(decision, Grant):
                raise _locked(decision.lease, holder)
            taken = Lease(instance, decision.fencing, now, now + ttl)
            # When the row has changed in between, somebody else got on: look again.
            if self._replace(current, taken):
                return decision.fencing

    def renew(self, instance: str, fencing: int, *, ttl: timedelta) -> bool:
        """Prolongs the lease; False when it has been taken over.

        A lease that expired unnoticed may be renewed: the number proves that nobody had it since.
        """
        with self._database.write() as own:
            until = {"expires_at": self._database.clock() + ttl}
            return own.execute(_CHANGE, {**_mine(instance, fencing), **until}).rowcount == 1

    def release(self, instance: str, fencing: int) -> None:
        """Gives the lease back, if it is still this process's."""
        nobody = {"holder": None, "acquired_at": None, "expires_at": None}
        with self._database.write() as own:
            own.execute(_CHANGE, {**_mine(instance, fencing), **nobody})

    def check(self, instance: str, fencing: int, *, connection: Connection | None = None) -> None:
        """Raises LEASE_LOST unless the process still holds the lease.

        With the connection of a writing transaction nobody can take it over until that ends.
        """
        query = _LEASE if connection is None else _LEASE.with_for_update(read=True)
        with self._database.read(connection) as own:
            row = own.execute(query).one_or_none()
        current = None if row is None else _lease(row)
        reason = why_lost(current, instance, fencing=fencing, now=self._database.clock())
        if reason is not None:
            raise TransientError("LEASE_LOST", reason=reason)

    def get(self) -> Lease | None:
        """The lease as it is; None when nobody ever had it."""
        return self._read()[0]

    def _read(self) -> tuple[Lease | None, Instance | None]:
        with self._database.read() as own:
            row = own.execute(_LEASE).one_or_none()
            if row is None:
                return None, None
            holder = own.execute(_HOLDER, {"holder": row.holder}).one_or_none()
        return _lease(row), None if holder is None else instance_from(holder)

    def _replace(self, current: Lease | None, taken: Lease) -> bool:
        values = {
            "holder": taken.holder,
            "fencing": taken.fencing,
            "acquired_at": taken.acquired_at,
            "expires_at": taken.expires_at,
        }
        with self._database.write() as own:
            if current is None:
                return insert_unless_taken(own, lease, {"name": _NAME, **values})
            statement = update(lease).where(
                lease.c.name == _NAME,
                lease.c.fencing == current.fencing,
                lease.c.holder.is_not_distinct_from(current.holder),
                lease.c.expires_at.is_not_distinct_from(current.expires_at),
            )
            return own.execute(statement.values(values)).rowcount == 1


def _mine(instance: str, fencing: int) -> dict[str, Any]:
    """What `_CHANGE` compares the row with."""
    return {"my_instance": instance, "my_fencing": fencing}


def _lease(row: Any) -> Lease:
    return Lease(row.holder, row.fencing, row.acquired_at, row.expires_at)


def _locked(current: Lease, holder: Instance | None) -> UserError:
    return UserError(
        "LAKE_LOCKED",
        host=holder.host if holder else "unknown",
        pid=holder.pid if holder else "unknown",
        user=holder.user_name if holder else "unknown",
        since=_moment(current.acquired_at),
        until=_moment(current.expires_at),
        instance=current.holder,
    )


def _moment(at: datetime | None) -> str:
    return "unknown" if at is None else at.isoformat(sep=" ", timespec="seconds")
