"""What is refreshed together: everything that is due at one moment, and what that needs. Pure.

Law: no table of a wave is at work in another one. All refreshes of a wave read the same versions of
what they read, so whatever way leads to a source, it shows one version of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.catalog.schedules import ScheduledTable
from headwater.schedule.due import due_since, joins, patience, waits
from headwater.schedule.graph import Graph


@dataclass(frozen=True, slots=True)
class Held:
    """A table that is due and has to wait, since when and for what: the backlog."""

    table: ScheduledTable
    since: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Wave:
    """Tables to refresh, parents before children; `parents` are those of each inside the wave."""

    at: datetime
    tables: tuple[ScheduledTable, ...] = ()
    parents: Mapping[str, tuple[str, ...]] | None = None

    def parents_of(self, table_id: str) -> tuple[str, ...]:
        """The tables of the wave that a table of the wave reads."""
        return (self.parents or {}).get(table_id, ())


@dataclass(frozen=True, slots=True)
class Tick:
    """What a look at the schedule comes to."""

    wave: Wave
    held: tuple[Held, ...] = ()


def plan_wave(
    tables: Sequence[ScheduledTable],
    at: datetime,
    *,
    busy: Collection[str] = (),
    done: Collection[str] = (),
) -> Tick:
    """The wave of this moment; `busy` are being refreshed, `done` are not to be refreshed again."""
    moments = ((table, due_since(table, at)) for table in tables if table.id not in done)
    due = [(since, table) for table, since in moments if since is not None]
    if not due:
        return Tick(Wave(at))
    graph = Graph.of(tables, lambda table: joins(table, at))
    members, reserved, held = set[str](), set[str](), list[Held]()
    # Who has waited longest comes first.
    for since, table in sorted(due, key=lambda pair: (pair[0], pair[1].id)):
        wanted = graph.with_needs(table.id)
        reason = _why_not(graph, table, wanted, at, busy=busy, reserved=reserved)
        if reason is None:
            members |= wanted
            continue
        held.append(Held(table, since, reason))
        if at - since > patience(table) and not wanted.isdisjoint(busy):
            # Else the others it needs might be at work whenever one of them is free.
            reserved |= wanted
    return Tick(_wave(graph, graph.in_order(members), at), tuple(held))


def _wave(graph: Graph, order: Sequence[str], at: datetime) -> Wave:
    inside = frozenset(order)
    parents = {id: tuple(p for p in graph.parents(id) if p in inside) for id in order}
    return Wave(at, tuple(graph.tables[id] for id in order), parents)


def _why_not(
    graph: Graph,
    table: ScheduledTable,
    wanted: Collection[str],
    at: datetime,
    *,
    busy: Collection[str],
    reserved: Collection[str],
) -> str | None:
    if table.id in busy:
        return "its last refresh is not over"
    for id in graph.in_order(wanted):
        if id in busy:
            return f"waits for {graph.tables[id].name}, which is being refreshed"
        if id in reserved:
            return f"{graph.tables[id].name} is kept free for a table that waits for longer"
    # Tables that failed would be read as they were, and what reads them be skipped in their wave.
    for id in wanted:
        for above in graph.reached(id):
            parent = graph.tables.get(above)
            if parent is not None and parent.moves and waits(parent, at):
                return f"waits for {parent.name}, whose refresh failed and is tried again"
    return None
