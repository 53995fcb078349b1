"""The store's history of refreshes.

Invariant: of one dynamic table at most one refresh runs, where running means that its job is not
finished, or several of partitions that share no row; a refresh whose commit was recorded has
succeeded and never becomes FAILED.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Subquery,
    delete,
    func,
    insert,
    select,
    update,
)

from headwater.catalog.dynamic_tables import (
    FINAL_REFRESH_STATES,
    Refresh,
    RefreshKind,
    RefreshState,
    RefreshTrigger,
)
from headwater.catalog.jobs import FINAL_STATES
from headwater.catalog.objects import TableKind
from headwater.catalog.store.database import Database
from headwater.catalog.store.dynamic_table_model import dynamic_tables, refreshes
from headwater.catalog.store.model import jobs, tables
from headwater.errors import TransientError
from headwater.names import QualifiedName

INTERRUPTED = "the process that ran this refresh ended before it was done"

_FIELDS = tuple(field.name for field in fields(Refresh))


class Refreshes:
    """Records refreshes and finds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, refresh: Refresh, *, connection: Connection | None = None) -> Refresh:
        """Adds a refresh under the next number of its table, which it gives back with it.

        Raises:
            TransientError: REFRESH_RUNNING when another refresh of the same rows runs.
        """
        locked = select(dynamic_tables.c.refresh_number).where(
            dynamic_tables.c.table_id == refresh.table_id
        )
        with self._database.write(connection) as own:
            counted = own.execute(locked.with_for_update()).scalar() or 0
            for other in self._running(own, refresh.table_id):
                if _same_rows(refresh, other):
                    table = str(QualifiedName(other.workspace, other.schema, other.name))
                    raise TransientError("REFRESH_RUNNING", table=table, job=other.job_id)
            last = self._newest(own, refresh.table_id)
            started = replace(refresh, number=max(counted, last) + 1)
            own.execute(insert(refreshes).values(_values(started)))
        return started

    def finish(self, refresh: Refresh, *, connection: Connection | None = None) -> None:
        """Stores how a refresh ended; one whose commit was recorded does not fail any more."""
        statement = update(refreshes).where(
            refreshes.c.table_id == refresh.table_id, refreshes.c.number == refresh.number
        )
        if refresh.state is not RefreshState.SUCCEED:
            statement = statement.where(refreshes.c.state != RefreshState.SUCCEED)
        with self._database.write(connection) as own:
            own.execute(statement.values(_values(refresh)))

    def by_job(self, job_id: str) -> Refresh | None:
        """The refresh that a job did, or None."""
        query = _select().where(refreshes.c.job_id == job_id)
        with self._database.read() as own:
            row = own.execute(query.order_by(refreshes.c.number.desc()).limit(1)).one_or_none()
        return None if row is None else _refresh(row)

    def running(self, table_ids: Iterable[str]) -> frozenset[str]:
        """Which of these tables are being refreshed at this moment, by whomever."""
        with self._database.read() as own:
            return frozenset(id for id in table_ids if self._running(own, id))

    def last_number(self, table_id: str) -> int:
        """The number of the newest refresh of a table; 0 when there was none."""
        with self._database.read() as own:
            return self._newest(own, table_id)

    def list(
        self,
        workspace: str | None = None,
        *,
        table_id: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
        kind: TableKind | None = None,
    ) -> builtins.list[Refresh]:
        """The refreshes of a workspace, or of one table, newest first."""
        query = _select()
        if workspace is not None:
            query = query.where(refreshes.c.workspace == workspace)
        if table_id is not None:
            query = query.where(refreshes.c.table_id == table_id)
        if since is not None:
            query = query.where(refreshes.c.started_at >= since)
        if kind is not None:
            of_kind = select(tables.c.id).where(tables.c.kind == kind)
            query = query.where(refreshes.c.table_id.in_(of_kind))
        newest = query.order_by(
            refreshes.c.started_at.desc(), refreshes.c.table_id, refreshes.c.number.desc()
        )
        with self._database.read() as own:
            rows = own.execute(newest.limit(limit)).all()
        return [_refresh(row) for row in rows]

    def newest(self, workspace: str) -> dict[str, Refresh]:
        """The newest refresh of each table of a workspace, by the table's id."""
        place = _place_by_age()
        newest = select(place).where(place.c.place == 1).subquery()
        query = _select().join(newest, _same_refresh(newest))
        with self._database.read() as own:
            rows = own.execute(query.where(refreshes.c.workspace == workspace)).all()
        return {row.table_id: _refresh(row) for row in rows}

    def recent_states(self, workspace: str, *, most: int) -> dict[str, builtins.list[RefreshState]]:
        """How the last refreshes of each table ended or stand, oldest first; by its id."""
        place = _place_by_age()
        own_state = refreshes.c.state
        query = (
            select(refreshes.c.table_id, own_state, jobs.c.state.label("job_state"))
            .join_from(refreshes, place, _same_refresh(place))
            .outerjoin(jobs, jobs.c.id == refreshes.c.job_id)
            .where(refreshes.c.workspace == workspace, place.c.place <= most)
            .order_by(refreshes.c.table_id, refreshes.c.number)
        )
        found: dict[str, builtins.list[RefreshState]] = {}
        with self._database.read() as own:
            for table_id, state, job_state in own.execute(query):
                ended = job_state is None or job_state in _FINAL
                left = ended and RefreshState(state) not in FINAL_REFRESH_STATES
                seen = RefreshState.FAILED if left else RefreshState(state)
                found.setdefault(table_id, []).append(seen)
        return found

    def delete_before(self, when: datetime) -> int:
        """Forgets the refreshes that started before `when`, and says how many.

        The newest of each table stays: the next one counts from its number, and a number that was
        given to a refresh that failed must not come again.
        """
        other = refreshes.alias()
        newest = select(func.max(other.c.number)).where(other.c.table_id == refreshes.c.table_id)
        statement = delete(refreshes).where(
            refreshes.c.started_at < when, refreshes.c.number < newest.scalar_subquery()
        )
        with self._database.write() as own:
            return own.execute(statement).rowcount

    def _running(self, connection: Connection, table_id: str) -> builtins.list[Refresh]:
        final = [state.value for state in FINAL_REFRESH_STATES]
        query = _select().where(refreshes.c.table_id == table_id, ~refreshes.c.state.in_(final))
        found = (_refresh(row) for row in connection.execute(query))
        return [refresh for refresh in found if refresh.state not in FINAL_REFRESH_STATES]

    def _newest(self, connection: Connection, table_id: str) -> int:
        query = select(func.max(refreshes.c.number)).where(refreshes.c.table_id == table_id)
        return connection.execute(query).scalar() or 0


def _select() -> Select[Any]:
    """Refreshes, each with how its job stands; the job may be forgotten."""
    return select(
        refreshes,
        jobs.c.state.label("job_state"),
        jobs.c.ended_at.label("job_ended_at"),
        jobs.c.error.label("job_error"),
    ).outerjoin_from(refreshes, jobs, jobs.c.id == refreshes.c.job_id)


def _place_by_age() -> Subquery:
    """Each refresh with its place among those of its table, the newest at 1."""
    columns = refreshes.c
    place = func.row_number().over(partition_by=columns.table_id, order_by=columns.number.desc())
    return select(columns.table_id, columns.number, place.label("place")).subquery()


def _same_refresh(place: Subquery) -> ColumnElement[bool]:
    return (place.c.table_id == refreshes.c.table_id) & (place.c.number == refreshes.c.number)


def _same_rows(one: Refresh, other: Refresh) -> bool:
    """Whether two refreshes of a table may write the same rows."""
    here, there = one.partition, other.partition
    return here is None or there is None or here.meets(there)


def _values(refresh: Refresh) -> dict[str, Any]:
    return {
        **{name: getattr(refresh, name) for name in _FIELDS},
        "source_tables": [asdict(name) for name in refresh.source_tables],
        "detail": dict(refresh.detail),
    }


def _refresh(row: Row[Any]) -> Refresh:
    stored = {name: getattr(row, name) for name in _FIELDS}
    stored["state"] = RefreshState(row.state)
    stored["trigger"] = RefreshTrigger(row.trigger)
    stored["kind"] = None if row.kind is None else RefreshKind(row.kind)
    stored["source_tables"] = tuple(QualifiedName(**name) for name in row.source_tables)
    found = Refresh(**stored)
    if found.state in FINAL_REFRESH_STATES or (row.job_state and row.job_state not in _FINAL):
        return found
    # Its job has ended, or was forgotten since, and no commit of it was found.
    return replace(
        found,
        state=RefreshState.FAILED,
        ended_at=row.job_ended_at or found.started_at,
        error_message=row.job_error or INTERRUPTED,
    )


_FINAL = frozenset(state.value for state in FINAL_STATES)
