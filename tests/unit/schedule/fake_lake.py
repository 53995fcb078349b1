"""A lake without files for the loop of the schedule: versions are numbers, time is the test's.

The loop, its waves and its rules are the real ones. The engine knows what each version of a table
was made of, so a test can ask which versions of plain tables stand behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from headwater.catalog.dynamic_tables import Refresh, RefreshState, RefreshTrigger
from headwater.catalog.schedules import ScheduledTable, failed, succeeded
from headwater.errors import TransientError
from headwater.refresh.pins import WavePins
from headwater.refresh.reasons import Reason
from headwater.schedule.waves import Wave

START = datetime(2026, 11, 15, 12, tzinfo=UTC)


@dataclass(slots=True)
class FakeLake:
    """The catalog and the tables: what outlives a process."""

    at: datetime = START
    tables: dict[str, ScheduledTable] = field(default_factory=dict)
    plain: dict[str, int] = field(default_factory=dict)
    made_of: dict[str, list[dict[str, int]]] = field(default_factory=dict)
    """For each version of a dynamic table, the versions it read; version 0 is empty."""
    frontiers: dict[str, dict[str, int]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    by_hand: set[str] = field(default_factory=set)
    """The tables that somebody refreshes by hand at this moment."""
    history: list[Refresh] = field(default_factory=list)
    faults: Callable[[str, str], None] = lambda place, table: None
    """May raise what goes wrong before or behind a commit."""

    def add(self, table: ScheduledTable) -> None:
        self.tables[table.id] = replace(table, baseline=self.at)
        self.made_of[table.id] = [{}]

    def version(self, table_id: str) -> int:
        known = self.made_of.get(table_id)
        return self.plain[table_id] if known is None else len(known) - 1

    def plain_versions(self, table_id: str, version: int) -> dict[str, set[int]]:
        """Which versions of plain tables stand behind a version of a table."""
        if table_id in self.plain:
            return {table_id: {version}}
        found: dict[str, set[int]] = {}
        for source, read in self.made_of[table_id][version].items():
            for plain, versions in self.plain_versions(source, read).items():
                found.setdefault(plain, set()).update(versions)
        return found

    # What the engine does.

    def run(self, table: ScheduledTable, pins: WavePins) -> Refresh:
        """A scheduled refresh; the catalog lets one refresh of a table begin at a time."""
        if table.id in self.by_hand:
            raise TransientError("REFRESH_RUNNING", table=table.name, job="j")
        number = self.numbers[table.id] = self.numbers.get(table.id, 0) + 1
        wanted = {s: pins.version(s, self.version(s)) for s in table.sources}
        before = self.frontiers.get(table.id)
        self.faults("begun", table.id)
        if before is not None and any(before[s] > v for s, v in wanted.items()):
            return self._ended(table, number, Reason.OVERTAKEN)
        self._commit(table.id, wanted, pins.at)
        self.faults("committed", table.id)
        return self._ended(table, number, Reason.ROWS_CHANGED)

    def refresh_by_hand(self, table_id: str) -> None:
        table = self.tables[table_id]
        self.numbers[table_id] = self.numbers.get(table_id, 0) + 1
        self._commit(table_id, {s: self.version(s) for s in table.sources}, self.at)
        known = self.tables[table_id]
        self.tables[table_id] = replace(known, baseline=self.at, failures=0, not_before=None)

    def _commit(self, table_id: str, wanted: dict[str, int], at: datetime) -> None:
        if wanted != self.frontiers.get(table_id):
            self.made_of[table_id].append(wanted)
        self.frontiers[table_id] = wanted
        last = self.tables[table_id].refreshed_at
        recent = max(at, last) if last is not None and last <= self.at else at
        self.tables[table_id] = replace(self.tables[table_id], refreshed_at=recent)

    def _ended(self, table: ScheduledTable, number: int, reason: Reason) -> Refresh:
        name = table.name
        done = Refresh(
            table.id,
            number,
            name.workspace,
            name.schema,
            name.name,
            "DEFAULT",
            self.at,
            f"j{number}",
            RefreshState.SUCCEED,
            RefreshTrigger.LH_SCHEDULED,
            reason=reason,
        )
        self.history.append(done)
        return done

    # What the loop asks of a lake.

    @property
    def store(self) -> Any:
        return SimpleNamespace(schedules=self, refreshes=self, dynamic_tables=self)

    @property
    def config(self) -> Any:
        return SimpleNamespace(refreshes_at_once=3)

    @property
    def writer(self) -> Any:
        return SimpleNamespace(fencing=1, ensure=lambda: 1)

    def list(self, **about: Any) -> list[Any]:
        return [] if about else list(self.tables.values())

    def get(self, table_id: str) -> ScheduledTable | None:
        return self.tables.get(table_id)

    def running(self, table_ids: Iterable[str]) -> frozenset[str]:
        return frozenset(table_ids) & self.by_hand

    def mark(self, reasons: Mapping[str, str | None]) -> None:
        for table_id, reason in reasons.items():
            self.tables[table_id] = replace(self.tables[table_id], suspended_reason=reason)

    def record_failure(
        self, table_id: str, at: datetime, message: str, *, jitter: float
    ) -> ScheduledTable:
        after = failed(self.tables[table_id], at, message, jitter=0.0)
        self.tables[table_id] = after
        return after

    def record_success(self, table_id: str, *, took_seconds: float) -> None:
        self.tables[table_id] = succeeded(self.tables[table_id], took_seconds=took_seconds)

    def by_id(self, table_id: str) -> Any:
        return SimpleNamespace(
            refresh_number=self.numbers[table_id], delta_version=self.version(table_id)
        )

    def pin_wave(self, lake: Any, wave: Wave) -> WavePins:
        sources = {source for table in wave.tables for source in table.sources}
        return WavePins(wave.at, {source: self.version(source) for source in sources})


@dataclass(slots=True)
class Submitted:
    """A refresh that a thread has begun, and that ends when the test says so."""

    table: ScheduledTable
    pins: WavePins
    work: Callable[[], Any]
    future: Future[Any]
    ends_at: datetime


@dataclass(slots=True)
class FakePool:
    """Threads of a process that do nothing until they are told to."""

    takes: Callable[[], timedelta]
    clock: FakeLake
    running: list[Submitted] = field(default_factory=list)
    begun: Callable[[ScheduledTable, WavePins], None] = lambda table, pins: None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        _, _, table, pins = arguments
        self.begun(table, pins)
        future: Future[Any] = Future()
        ends_at = self.clock.at + self.takes()
        self.running.append(Submitted(table, pins, lambda: function(*arguments), future, ends_at))
        return future
