"""The store's schedules of dynamic tables: what a tick reads, and how scheduled refreshes went."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy.sql.expression import type_coerce
from sqlalchemy.types import Text

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.objects import TableState
from headwater.catalog.schedules import ScheduledTable, failed, succeeded
from headwater.catalog.store.database import Database
from headwater.catalog.store.dynamic_table_model import dynamic_table_sources, dynamic_tables
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.stream_model import streams
from headwater.names import QualifiedName

_OWN = dynamic_tables.c


class Schedules:
    """Reads all schedules at once, and changes what they know of one table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> list[ScheduledTable]:
        """Every dynamic table that is there, by age: those without a schedule are read too.

        Of a source that is a stream the table counts that it watches: its refresh comes first.
        """
        columns = dynamic_table_sources.c
        watched = func.coalesce(streams.c.source_id, columns.source_id)
        read = select(columns.dynamic_table_id, watched).order_by(columns.position)
        read = read.outerjoin(streams, streams.c.table_id == columns.source_id)
        found: dict[str, list[str]] = {}
        with self._database.read() as own:
            rows = own.execute(_select().order_by(tables.c.created_at, tables.c.id)).all()
            if rows:
                for table_id, source in own.execute(read):
                    found.setdefault(table_id, []).append(source)
        return [_table(row, tuple(found.get(row.table_id, ()))) for row in rows]

    def get(self, table_id: str) -> ScheduledTable | None:
        """One of them, without its sources; None when it is gone."""
        with self._database.read() as own:
            row = own.execute(_select().where(_OWN.table_id == table_id)).one_or_none()
        return None if row is None else _table(row, ())

    def record_failure(
        self, table_id: str, at: datetime, message: str, *, jitter: float
    ) -> ScheduledTable | None:
        """Counts a scheduled failure; gives back the table, which it may have suspended."""
        return self._change(table_id, lambda table: failed(table, at, message, jitter=jitter))

    def record_success(self, table_id: str, *, took_seconds: float) -> None:
        """Forgets the failures of a table whose scheduled refresh ended well."""
        self._change(table_id, lambda table: succeeded(table, took_seconds=took_seconds))

    def set_baseline(self, table_id: str, at: datetime) -> None:
        """The interval counts from a refresh by hand; whatever failed before, this one did not."""
        values = {"baseline": at, "failures": 0, "not_before": None}
        self._update(table_id, values)

    def resume(self, table_id: str) -> None:
        """Lets the schedule go on with a table as if nothing had failed."""
        values = {"suspended": False, "failures": 0, "not_before": None, "suspended_reason": None}
        self._update(table_id, values)

    def mark(self, reasons: Mapping[str, str | None]) -> None:
        """Says why the schedule leaves tables alone that are not suspended, or does no longer."""
        with self._database.write() as own:
            for table_id, reason in reasons.items():
                changed = update(dynamic_tables).where(_OWN.table_id == table_id)
                own.execute(changed.where(~_OWN.suspended).values(suspended_reason=reason))

    def _change(
        self, table_id: str, rule: Callable[[ScheduledTable], ScheduledTable]
    ) -> ScheduledTable | None:
        with self._database.write() as own:
            query = _select().where(_OWN.table_id == table_id)
            row = own.execute(query.with_for_update(of=dynamic_tables)).one_or_none()
            if row is None:
                return None
            after = rule(_table(row, ()))
            changed = update(dynamic_tables).where(_OWN.table_id == table_id)
            own.execute(changed.values({name: getattr(after, name) for name in _CHANGED}))
        return after

    def _update(self, table_id: str, values: Mapping[str, Any]) -> None:
        changed = update(dynamic_tables).where(_OWN.table_id == table_id)
        with self._database.write() as own:
            own.execute(changed.values(values))


_CHANGED = ("failures", "not_before", "took_seconds", "suspended", "suspended_reason")


def _select() -> Select[Any]:
    return (
        select(
            _OWN.table_id,
            type_coerce(_OWN.schedule, Text).label("schedule"),
            _OWN.baseline,
            _OWN.refreshed_at,
            *(_OWN[name] for name in _CHANGED),
            tables.c.name,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(dynamic_tables, tables)
        .join(schemas)
        .join(workspaces)
        .where(tables.c.state == TableState.ACTIVE)
    )


def _table(row: Row[Any], sources: tuple[str, ...]) -> ScheduledTable:
    return ScheduledTable(
        id=row.table_id,
        name=QualifiedName(row.workspace_name, row.schema_name, row.name),
        sources=sources,
        schedule=None if row.schedule is None else _schedule(row.schedule),
        baseline=row.baseline,
        refreshed_at=row.refreshed_at,
        **{name: getattr(row, name) for name in _CHANGED},
    )


# The same texts come back at each tick.
@lru_cache(maxsize=4096)
def _schedule(text: str) -> Schedule:
    return Schedule.from_dict(json.loads(text))
