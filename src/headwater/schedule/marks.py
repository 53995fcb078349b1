"""Why tables stand still that read one which its failures suspended. Pure.

Law: marks follow from what is suspended alone, so they can be worked out anew at each look; who
resumes a table need not know who reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.catalog.schedules import ScheduledTable
from headwater.schedule.graph import Graph


def changed_marks(tables: Sequence[ScheduledTable]) -> dict[str, str | None]:
    """The `suspended_reason` of each table that is not suspended and has another one by now."""
    broken = [table for table in tables if table.suspended_by_failures]
    marked = [table for table in tables if not table.suspended and table.suspended_reason]
    if not broken and not marked:
        return {}
    wanted = _wanted(tables, broken)
    return {
        table.id: wanted.get(table.id)
        for table in tables
        if not table.suspended and table.suspended_reason != wanted.get(table.id)
    }


def _wanted(tables: Sequence[ScheduledTable], broken: list[ScheduledTable]) -> dict[str, str]:
    graph = Graph.of(tables)
    found: dict[str, str] = {}
    for table in tables:
        above = graph.reached(table.id) - {table.id}
        cause = next((parent for parent in broken if parent.id in above), None)
        if cause is not None:
            found[table.id] = f"{cause.name}, which it reads, is suspended"
    return found
