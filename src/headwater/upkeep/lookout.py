"""Looking at all tables for what upkeep has to do. Asks the catalog and the log, never Spark.

Invariant: a table whose log has not grown since the last look is not read again for compaction, so
a look at a lake where nothing happens costs one query per workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headwater.catalog.objects import Table, TableKind, TableState
from headwater.errors import HeadwaterError
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.streams.table_horizon import table_horizon
from headwater.tables.versions import catch_up
from headwater.upkeep.facts import file_sizes, is_compacted, parts_of
from headwater.upkeep.lifetimes import deletes_table, lifetime, outlived
from headwater.upkeep.notes import expired_at, note_expired, note_vacuumed, vacuumed_until
from headwater.upkeep.old_files import vacuum_due
from headwater.upkeep.small_files import Policy, small_files
from headwater.upkeep.tasks import (
    Kind,
    Task,
    compaction,
    compaction_sizes,
    expiry,
    first,
    vacuuming,
)

_MEGABYTE = 1 << 20
_EXPIRE_EVERY = timedelta(hours=12)
_LOOK_FOR_OLD_FILES = timedelta(hours=1)
_AFTER_A_FAILURE = timedelta(hours=1)


@dataclass(slots=True)
class Lookout:
    """What this process has seen of the tables of a lake."""

    lake: OpenLake
    _compact: dict[str, int] = field(default_factory=dict)
    """The Delta version at which a table was found to have few small files."""
    _vacuumed: dict[str, datetime] = field(default_factory=dict)
    """When a table was last found to have no old files."""
    _not_before: dict[tuple[Kind, str], datetime] = field(default_factory=dict)

    def next_task(self) -> Task | None:
        """What to do now, or None."""
        tables = self._tables()
        return first(self._lifetimes(tables)) or first(self._files(tables))

    def succeeded(self, task: Task) -> None:
        """Remember that a task was done."""
        if task.kind is Kind.VACUUM:
            table = self.lake.store.tables.get_by_id(task.table_id)
            if table is not None:
                note_vacuumed(self.lake.store, table.id, self._horizon(table))
        if task.kind is Kind.COMPACT:
            # Files that OPTIMIZE leaves alone would make it due for ever.
            table = self.lake.store.tables.get_by_id(task.table_id)
            if table is not None:
                self._compact[table.id] = table.shape.delta_version

    def failed(self, task: Task) -> None:
        """Leave a task alone for a while; other tables come first."""
        self._not_before[task.kind, task.table_id] = now() + _AFTER_A_FAILURE

    def _tables(self) -> list[Table]:
        """All tables whose files are ours to rewrite."""
        return [
            table
            for workspace in self.lake.store.workspaces.list()
            for table in self.lake.store.tables.list(workspace.name)
            if table.managed and table.kind.stores_rows and table.state is TableState.ACTIVE
        ]

    def _lifetimes(self, tables: list[Table]) -> Iterator[Task]:
        last = expired_at(self.lake.store)
        if last is not None and now() - last < _EXPIRE_EVERY:
            return
        found = [task for table in tables if (task := self._expiry(table)) is not None]
        if not found:
            note_expired(self.lake.store, now())
        yield from found

    def _expiry(self, table: Table) -> Task | None:
        life = lifetime(table.shape.properties)
        if life is None or table.kind not in (TableKind.TABLE, TableKind.DYNAMIC):
            return None
        if self._waits(Kind.EXPIRE, table):
            return None
        # Another tool may have written to it a moment ago.
        table = catch_up(self.lake, table)
        if _is_empty(table) and not deletes_table(table.shape.properties):
            return None
        try:
            old = outlived(parts_of(self.lake, table), life, at=now())
        except HeadwaterError:
            return None
        return expiry(table, old) if old else None

    def _files(self, tables: list[Table]) -> Iterator[Task]:
        for table in tables:
            try:
                task = self._compaction(table) or self._vacuum(table)
            except HeadwaterError:
                # Its log cannot be read: whoever reads the table will be told why.
                continue
            if task is not None:
                yield task

    def _compaction(self, table: Table) -> Task | None:
        version, config = table.shape.delta_version, self.lake.config
        if self._compact.get(table.id) == version or self._waits(Kind.COMPACT, table):
            return None
        small = config.upkeep_small_file_megabytes * _MEGABYTE
        policy = Policy(config.upkeep_small_files, small)
        found = small_files(file_sizes(self.lake, table), policy)
        if found is None or not is_compacted(self.lake, table):
            self._compact[table.id] = version
            return None
        large = config.upkeep_file_megabytes * _MEGABYTE
        return compaction(table, found, compaction_sizes(small_bytes=small, file_bytes=large))

    def _vacuum(self, table: Table) -> Task | None:
        hours, last = self.lake.config.upkeep_vacuum_hours, self._vacuumed.get(table.id)
        recent = last is not None and now() - last < _LOOK_FOR_OLD_FILES
        if not hours or recent or self._waits(Kind.VACUUM, table):
            return None
        due = vacuum_due(
            self.lake.store.versions.list(table.id),
            horizon=self._horizon(table),
            done=vacuumed_until(self.lake.store, table.id),
            every=timedelta(hours=hours),
        )
        if due:
            return vacuuming(table)
        self._vacuumed[table.id] = now()
        return None

    def _horizon(self, table: Table) -> datetime:
        return now() - timedelta(hours=table_horizon(self.lake, table).hours)

    def _waits(self, kind: Kind, table: Table) -> bool:
        until = self._not_before.get((kind, table.id))
        return until is not None and now() < until


def _is_empty(table: Table) -> bool:
    return table.shape.totals.rows == 0
