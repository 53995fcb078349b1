"""What can be said of a query before there is anything to refresh."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from headwater.algebra.nodes import Query
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
    query: Query | None = None
    delta: DeltaPlan | None = None


def prospect(definition: Definition, known: Understanding) -> Prospect:
    """The plan for rows that come and go in every source, on another day."""
    if known.problem is not None or known.query is None:
        return Prospect(known.problem or definition.not_incremental)
    changes = {table.id: Change.ANY for table in definition.sources}
    dates = Dates(_SOME_DAY, _NEXT_DAY)
    return Prospect(None, known.query, plan(known.query, changes, dates, known.types))
