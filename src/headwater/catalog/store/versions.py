"""The store's history of tables, as DESC HISTORY shows it.

Invariant: versions are only ever appended, together with the table's new shape (`Tables.record`);
this part reads them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from headwater.catalog.objects import KEEP_ROWS, Around, TableVersion
from headwater.catalog.store.bulk import one_of
from headwater.catalog.store.database import Database
from headwater.catalog.store.model import table_versions, tables
from headwater.catalog.store.table_rows import version_from

_LAST = (
    select(table_versions)
    .where(table_versions.c.table_id == bindparam("table_id"))
    .order_by(table_versions.c.version.desc())
    .limit(1)
)
# Made once: to put such a query together takes longer than to answer it.
_AT_DELTA = _LAST.where(table_versions.c.delta_version <= bindparam("delta_version"))
_AFTER = (
    select(table_versions)
    .where(
        table_versions.c.table_id == bindparam("table_id"),
        table_versions.c.delta_version > bindparam("delta_version"),
    )
    .order_by(table_versions.c.version)
    .limit(1)
)
_AFTER_OF_ROWS = _AFTER.where(table_versions.c.operation.not_in(KEEP_ROWS))


class Versions:
    """Finds versions of tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(
        self,
        table_id: str,
        limit: int | None = None,
        *,
        connection: Connection | None = None,
    ) -> builtins.list[TableVersion]:
        """The versions of a table, newest first."""
        with self._database.read(connection) as own:
            rows = own.execute(_newest_first(table_id).limit(limit)).all()
        return [version_from(row) for row in rows]

    def last(self, table_id: str, *, connection: Connection | None = None) -> TableVersion | None:
        """The newest version of a table."""
        with self._database.read(connection) as own:
            row = own.execute(_LAST, {"table_id": table_id}).one_or_none()
        return None if row is None else version_from(row)

    def last_of(self, table_ids: Sequence[str]) -> dict[str, TableVersion]:
        """The newest version of each of many tables, asked for at once."""
        older = table_versions.alias()
        newest = select(func.max(older.c.version)).where(older.c.table_id == tables.c.id)
        query = select(table_versions).join_from(
            table_versions,
            tables,
            (tables.c.id == table_versions.c.table_id)
            & (table_versions.c.version == newest.scalar_subquery()),
        )
        with self._database.read() as own:
            rows = own.execute(query.where(one_of(own, tables.c.id, table_ids))).all()
        return {row.table_id: version_from(row) for row in rows}

    def first(self, table_id: str, *, connection: Connection | None = None) -> TableVersion | None:
        """The oldest version of a table."""
        oldest = select(table_versions).where(table_versions.c.table_id == table_id)
        return self._one(oldest.order_by(table_versions.c.version), connection)

    def get(
        self, table_id: str, version: int, *, connection: Connection | None = None
    ) -> TableVersion | None:
        """The version with that number."""
        query = _newest_first(table_id).where(table_versions.c.version == version)
        return self._one(query, connection)

    def at_or_before(
        self, table_id: str, when: datetime, *, connection: Connection | None = None
    ) -> TableVersion | None:
        """The version that was current at `when`; None when the table was not there yet."""
        query = _newest_first(table_id).where(table_versions.c.committed_at <= when)
        return self._one(query, connection)

    def after(
        self,
        table_id: str,
        delta_version: int,
        *,
        of_rows: bool = False,
        connection: Connection | None = None,
    ) -> TableVersion | None:
        """The first version beyond a Delta version; None when that one is the newest.

        With `of_rows` the first one that may have other rows.
        """
        query = _AFTER_OF_ROWS if of_rows else _AFTER
        return self._beside(query, table_id, delta_version, connection)

    def at_delta(
        self, table_id: str, delta_version: int, *, connection: Connection | None = None
    ) -> TableVersion | None:
        """The version that was current at a Delta version."""
        return self._beside(_AT_DELTA, table_id, delta_version, connection)

    def commit_times(
        self, table_id: str, *, since: int = 0
    ) -> builtins.list[tuple[int, int, datetime]]:
        """Number, last Delta version and time of the versions from `since` on, in order."""
        columns = table_versions.c
        query = select(columns.version, columns.delta_version, columns.committed_at).where(
            columns.table_id == table_id, columns.delta_version >= since
        )
        with self._database.read() as own:
            rows = own.execute(query.order_by(columns.version)).all()
        return [(row.version, row.delta_version, row.committed_at) for row in rows]

    def by_job(self, job_id: str) -> builtins.list[tuple[str, TableVersion]]:
        """The versions that a job made, each with the id of its table."""
        query = select(table_versions).where(table_versions.c.job_id == job_id)
        with self._database.read() as own:
            rows = own.execute(query.order_by("table_id", "version")).all()
        return [(row.table_id, version_from(row)) for row in rows]

    def around(self, places: Iterable[tuple[str, int, bool]]) -> builtins.list[Around]:
        """What `at_delta` and `after` give for many, each a table, a Delta version and `of_rows`.

        In one transaction: to begin one for each question takes longer than to answer it.
        """
        with self._database.read() as own:
            return [
                Around(
                    self.at_delta(table_id, version, connection=own),
                    self.after(table_id, version, of_rows=of_rows, connection=own),
                )
                for table_id, version, of_rows in places
            ]

    def _beside(
        self, query: Select[Any], table_id: str, delta_version: int, connection: Connection | None
    ) -> TableVersion | None:
        values = {"table_id": table_id, "delta_version": delta_version}
        with self._database.read(connection) as own:
            row = own.execute(query, values).one_or_none()
        return None if row is None else version_from(row)

    def _one(self, query: Select[Any], connection: Connection | None) -> TableVersion | None:
        with self._database.read(connection) as own:
            row = own.execute(query.limit(1)).one_or_none()
        return None if row is None else version_from(row)


def _newest_first(table_id: str) -> Select[Any]:
    query = select(table_versions).where(table_versions.c.table_id == table_id)
    return query.order_by(table_versions.c.version.desc())
