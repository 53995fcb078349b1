"""What can be said of a query before there is anything to refresh."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from headwater.algebra.nodes import Query
from headwater.errors import Span
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.incremental.plan import DeltaPlan, plan
from headwater.refresh.definition import Definition
from headwater.refresh.facts import Problem
from headwater.refresh.understanding import Understanding

_SOME_DAY, _NEXT_DAY = date(2000, 1, 1), date(2000, 1, 2)


@dataclass(frozen=True, slots=True)
class Prospect:
    """How a query would be maintained whatever happens to its sources, or why it would not be."""

    problem: Problem | None = None
    span: Span | None = None
    """Where in the query the problem stands, if that is known."""
    query: Query | None = None
    delta: DeltaPlan | None = None


def prospect(definition: Definition, known: Understanding) -> Prospect:
    """The plan for rows that come and go in every source, on another day."""
    if known.problem is not None or known.query is None:
        return Prospect(known.problem or definition.not_incremental, definition.span)
    changes = {table.id: Change.ANY for table in definition.sources}
    dates = Dates(_SOME_DAY, _NEXT_DAY)
    delta = plan(known.query, changes, dates, known.types)
    return Prospect(query=known.query, delta=delta)
