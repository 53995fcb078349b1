"""A refresh as data, before anything is done: run and explain are two readers of it. No Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from headwater.catalog.dynamic_tables import DynamicTable, Frontier, RefreshKind
from headwater.catalog.objects import Operation, Table
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.refresh.choice import Choice, choose
from headwater.refresh.definition import Definition
from headwater.refresh.facts import Facts, Problem
from headwater.refresh.pins import Pin, pin
from headwater.refresh.reasons import Reason
from headwater.refresh.sources import Source, pin_sources
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import catch_up

# What a refresh does to the rows, and what changes none of them.
_HARMLESS = frozenset(
    {Operation.REFRESH, Operation.CREATE, Operation.COMPACTION, Operation.ALTER, Operation.UPGRADE}
)

STATE_TABLES = "cz.optimizer.incremental.enable.state.table"
"""The setting of a session that says whether groups are kept."""
LEAST_BYTES_FOR_STATES = 32 << 20
"""Of all sources together: what can be read in no time needs no states."""

LITTLE = 4 << 20
"""Bytes of sources that are read in less time than Spark needs to begin a job."""


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
    """What there is to refresh, from where to where, and what kind of refresh it is to be."""

    dynamic_table: DynamicTable
    table: Table
    definition: Definition
    sources: tuple[Source, ...]
    choice: Choice
    frontier: Frontier
    """Where the table stands after it."""
    dates: Dates
    least_bytes_for_states: int = LEAST_BYTES_FOR_STATES

    @property
    def is_little(self) -> bool:
        """Whether so little is read that what costs is the number of Spark jobs."""
        return sum(source.facts.bytes for source in self.sources) < LITTLE

    @property
    def changes(self) -> dict[str, Change]:
        """What happened to each source."""
        return {source.table.id: source.facts.change for source in self.sources}

    def pins(self) -> dict[str, Pin]:
        """The versions of the sources that the query reads, with the columns it knew."""
        return {source.table.id: self._pin(source) for source in self.sources}

    def _pin(self, source: Source) -> Pin:
        then = self.dynamic_table.source_columns.get(source.table.id)
        now = tuple(column.name for column in source.table.shape.columns)
        return pin(source.facts.to_version, then, now)


def plan_refresh(
    lake: OpenLake, dynamic_table: DynamicTable, definition: Definition, moment: Moment
) -> PlannedRefresh:
    """Look at the sources and the table, and decide what is to be done."""
    found = lake.store.tables.get_by_id(dynamic_table.id)
    assert found is not None
    table = catch_up(lake, found)
    current = lake.store.dynamic_tables.by_id(dynamic_table.id) or dynamic_table
    before = current.frontier
    sources = pin_sources(lake, definition.sources, before, definition.columns)
    yesterday = _date_of(before) or moment.today
    date_matters = definition.reads_date and yesterday != moment.today
    facts = Facts(
        mode=current.mode,
        refreshed_before=before is not None,
        full_asked_for=moment.full_asked_for,
        problems=tuple(_problems(lake, current, definition, before, moment)),
        sources=tuple(source.facts for source in sources),
        date_matters=date_matters,
        not_incremental=definition.not_incremental,
    )
    choice = choose(facts)
    frontier = _next_frontier(definition, sources, moment)
    if choice.kind is RefreshKind.NO_DATA and before is not None:
        # Nothing is written, so what is kept beside the rows stays as it is.
        frontier = replace(frontier, detail={**before.detail, **frontier.detail})
    return PlannedRefresh(
        current,
        table,
        definition,
        sources,
        choice,
        frontier,
        Dates(yesterday, moment.today),
        moment.least_bytes_for_states,
    )


def chosen(planned: PlannedRefresh, choice: Choice) -> PlannedRefresh:
    """The same refresh, to be done in another way."""
    return replace(planned, choice=choice)


def _next_frontier(definition: Definition, sources: tuple[Source, ...], moment: Moment) -> Frontier:
    detail = {
        "columns": {source.table.id: source.signature for source in sources},
        "date": moment.today.isoformat(),
        "functions": sorted(function.id for function in definition.reading.functions),
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


def _problems(
    lake: OpenLake,
    dynamic_table: DynamicTable,
    definition: Definition,
    before: Frontier | None,
    moment: Moment,
) -> list[Problem]:
    """What makes the rows that are there useless for the rows that are to come."""
    if before is None:
        return []
    problems = []
    if before.fingerprint != definition.fingerprint:
        problems.append(Problem(Reason.QUERY_CHANGED, ""))
    other = sorted(
        key
        for key in {*before.settings, *moment.settings}
        if before.settings.get(key) != moment.settings.get(key)
    )
    if other:
        problems.append(Problem(Reason.SETTINGS_CHANGED, ", ".join(other)))
    called = sorted(function.id for function in definition.reading.functions)
    if before.detail.get("functions", []) != called:
        functions = ", ".join(function.name for function in definition.reading.functions)
        problems.append(Problem(Reason.FUNCTION_CHANGED, functions))
    if set(before.sources) != {table.id for table in definition.sources}:
        names = [
            f"{table.schema}.{table.name}"
            for table in definition.sources
            if table.id not in before.sources
        ]
        problems.append(Problem(Reason.SOURCE_REPLACED, ", ".join(names)))
    changed = _changed_by(lake, dynamic_table)
    if changed is not None:
        problems.append(Problem(Reason.TABLE_CHANGED, changed))
    return problems


def _changed_by(lake: OpenLake, dynamic_table: DynamicTable) -> str | None:
    """A version after the last refresh that may have changed rows, such as a RESTORE."""
    refreshed = dynamic_table.delta_version
    for version in lake.store.versions.list(dynamic_table.id):
        if refreshed is not None and version.delta_version <= refreshed:
            return None
        if version.operation not in _HARMLESS:
            return f"{version.operation} made version {version.version}"
    return None
