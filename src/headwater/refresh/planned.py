"""A refresh as data, before anything is done: run and explain are two readers of it. No Spark."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from headwater.catalog.dynamic_tables import DynamicTable, Frontier, RefreshKind
from headwater.catalog.objects import Table
from headwater.catalog.partitions import Partition, inside
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.lake.commits.choose import ROW_TRACKING, SMALL
from headwater.refresh.choice import Choice, choose
from headwater.refresh.definition import Definition
from headwater.refresh.facts import Facts, Problem
from headwater.refresh.foreign_writes import changed_by
from headwater.refresh.given import given_of
from headwater.refresh.hints import Hints
from headwater.refresh.pins import Pin, WavePins, pin
from headwater.refresh.problems import (
    FROZEN,
    IGNORED,
    PARAMETERS,
    problems_of_query,
    problems_of_sources,
)
from headwater.refresh.reach import Reach, reach_of
from headwater.refresh.reasons import Reason
from headwater.refresh.sources import Source, is_overtaken, pin_sources
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import catch_up

STATE_TABLES = "cz.optimizer.incremental.enable.state.table"
"""The setting of a session that says whether groups are kept."""
LEAST_BYTES_FOR_STATES = 32 << 20
"""Of all sources together: what can be read in no time needs no states."""

_NO_HINTS = Hints()
READABLE = 1 << 30
"""Bytes of sources up to which all their files may be read: Delta could skip some."""
VERY_LITTLE = 4 << 20
"""Bytes of sources that one task reads and joins before Spark has shared them out to several."""
FEW_ROWS = 64 << 10
"""Bytes of sources whose rows are gone through before code is generated for them."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a refresh is planned, and under which settings of Spark that change results."""

    at: datetime
    today: date
    settings: Mapping[str, str]
    full_asked_for: bool = False
    least_bytes_for_states: int = LEAST_BYTES_FOR_STATES


@dataclass(frozen=True, slots=True)
class PlannedRefresh:
    """What there is to refresh, from where to where, and what kind of refresh it is to be.

    With a `partition` it is about its rows alone: `dynamic_table` has the frontier of these.
    """

    dynamic_table: DynamicTable
    table: Table
    definition: Definition
    sources: tuple[Source, ...]
    choice: Choice
    frontier: Frontier
    """Where the table stands after it."""
    dates: Dates
    least_bytes_for_states: int = LEAST_BYTES_FOR_STATES
    partition: Partition | None = None
    hints: Hints = _NO_HINTS

    @property
    def is_readable_at_once(self) -> bool:
        """Whether all files may as well be read, so that nobody need look which can be skipped."""
        return self._bytes < READABLE

    @property
    def is_very_little(self) -> bool:
        """Whether one task should do everything."""
        return self._bytes < VERY_LITTLE

    @property
    def has_few_rows(self) -> bool:
        """Whether code that is made for the query would not pay."""
        return self._bytes < FEW_ROWS

    @property
    def _bytes(self) -> int:
        return sum(source.facts.bytes for source in self.sources)

    @property
    def may_be_written_anew(self) -> bool:
        """Whether the table is small, and a row is nothing but its values."""
        totals, table = self.table.shape.totals, self.dynamic_table
        if self.partition is not None or table.immutable_where is not None or given_of(table):
            return False
        tracked = self.table.shape.properties.get(ROW_TRACKING, "").lower() == "true"
        known = totals.rows is not None and totals.bytes is not None
        return not tracked and known and SMALL.holds(totals.rows or 0, totals.bytes or 0)

    @property
    def changes(self) -> dict[str, Change]:
        """What happened to each source."""
        return {source.table.id: source.facts.change for source in self.sources}

    @property
    def reach(self) -> Reach:
        """The rows it is about; what is written first is written whole."""
        first = self.dynamic_table.frontier is None
        frozen = None if first else self.dynamic_table.immutable_where
        return reach_of(self.table, self.partition, frozen)

    def pins(self) -> dict[str, Pin]:
        """The versions of the sources that the query reads, with the columns it knew."""
        return {source.table.id: self._pin(source) for source in self.sources}

    def _pin(self, source: Source) -> Pin:
        then = self.dynamic_table.source_columns.get(source.table.id)
        now = tuple(column.name for column in source.table.shape.columns)
        return pin(source.facts.to_version, then, now)


def plan_refresh(
    lake: OpenLake,
    dynamic_table: DynamicTable,
    definition: Definition,
    moment: Moment,
    *,
    wave: WavePins | None = None,
    partition: Partition | None = None,
    hints: Hints = _NO_HINTS,
) -> PlannedRefresh:
    """Look at the sources and the table, and decide what is to be done.

    The refresh of a wave reads what the wave reads. If the table knows newer versions, because
    somebody refreshed it meanwhile, there is nothing to do: a frontier never goes back.
    """
    found = lake.store.tables.get_by_id(dynamic_table.id)
    assert found is not None
    table = catch_up(lake, found)
    current = lake.store.dynamic_tables.by_id(dynamic_table.id) or dynamic_table
    if partition is not None:
        current = _narrowed(lake, current, partition)
    before = current.frontier
    sources = pin_sources(
        lake,
        definition.sources,
        before,
        definition.columns,
        dimensions=hints.dimensions,
        wave=wave,
    )
    yesterday = _date_of(before) or moment.today
    date_matters = definition.reads_date and yesterday != moment.today
    facts = Facts(
        mode=current.mode,
        refreshed_before=before is not None,
        full_asked_for=moment.full_asked_for,
        problems=()
        if before is None
        else (
            *problems_of_query(before, definition, moment.settings),
            *problems_of_sources(before, sources, hints),
            *_problems_of_table(lake, current, table, partition, hints),
        ),
        sources=tuple(source.facts for source in sources),
        date_matters=date_matters,
        not_incremental=definition.not_incremental,
    )
    choice = choose(facts)
    frontier = _next_frontier(definition, sources, moment)
    if choice.kind is RefreshKind.NO_DATA and before is not None:
        # Nothing is written, so what is kept beside the rows stays as it is.
        frontier = replace(frontier, detail={**before.detail, **frontier.detail})
    planned = PlannedRefresh(
        current,
        table,
        definition,
        sources,
        choice,
        frontier,
        Dates(yesterday, moment.today),
        # States are those of all rows; a partition is small enough to do without.
        moment.least_bytes_for_states if partition is None else sys.maxsize,
        partition,
        hints,
    )
    if wave is not None and before is not None and is_overtaken(lake, sources):
        overtaken = Choice(RefreshKind.NO_DATA, Reason.OVERTAKEN)
        return replace(planned, choice=overtaken, frontier=before)
    return chosen(planned, choice)


def chosen(planned: PlannedRefresh, choice: Choice) -> PlannedRefresh:
    """The same refresh, to be done in another way.

    Of a dimension table whose changes are not looked at the frontier keeps the version at which all
    rows were right.
    """
    full = choice.kind is RefreshKind.FULL
    before = planned.dynamic_table.frontier
    older = before.detail.get(IGNORED, []) if before is not None else []
    late = {s.table.id: s.facts.from_version for s in planned.sources if s.facts.ignored}
    versions = {
        source.table.id: source.facts.to_version
        if full or source.table.id not in late
        else (late[source.table.id] or 0)
        for source in planned.sources
    }
    ignored = [] if full else sorted({*older, *late})
    frozen = planned.dynamic_table.immutable_where
    detail = {**planned.frontier.detail, IGNORED: ignored, FROZEN: frozen}
    frontier = replace(planned.frontier, sources=versions, detail=detail)
    return replace(planned, choice=choice, frontier=frontier)


def _narrowed(lake: OpenLake, table: DynamicTable, partition: Partition) -> DynamicTable:
    """The table as one partition sees it: refreshed when the partition was.

    If a partition inside of it was refreshed by itself, it is as if it never had been.
    """
    known = {one.partition: one for one in lake.store.dynamic_tables.partitions(table.id)}
    own = known.get(partition)
    if own is None or inside(partition, tuple(known)):
        return replace(table, frontier=None, delta_version=None)
    return replace(table, frontier=own.frontier, delta_version=own.delta_version)


def _problems_of_table(
    lake: OpenLake,
    dynamic_table: DynamicTable,
    table: Table,
    partition: Partition | None,
    hints: Hints,
) -> list[Problem]:
    problems = []
    before = dynamic_table.frontier
    if before is not None and before.detail.get(FROZEN) != dynamic_table.immutable_where:
        problems.append(Problem(Reason.QUERY_CHANGED, "IMMUTABLE WHERE"))
    if hints.asks_for_full is not None:
        problems.append(Problem(Reason.FULL_ASKED_FOR, hints.asks_for_full))
    changed = changed_by(lake, dynamic_table, table, partition)
    if changed is not None:
        problems.append(Problem(Reason.TABLE_CHANGED, changed))
    return problems


def _next_frontier(definition: Definition, sources: tuple[Source, ...], moment: Moment) -> Frontier:
    detail = {
        "columns": {source.table.id: source.signature for source in sources},
        "date": moment.today.isoformat(),
        "functions": sorted(function.id for function in definition.reading.functions),
        PARAMETERS: dict(definition.parameters),
    }
    return Frontier(
        {source.table.id: source.facts.to_version for source in sources},
        moment.at,
        definition.fingerprint,
        dict(moment.settings),
        detail,
    )


def _date_of(frontier: Frontier | None) -> date | None:
    text = None if frontier is None else frontier.detail.get("date")
    return date.fromisoformat(text) if text else None
