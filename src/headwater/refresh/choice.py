"""Which kind of refresh the facts ask for, and the reason. Pure: no I/O, no clock."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.catalog.dynamic_tables import RefreshKind, RefreshMode
from headwater.incremental.deltas import Change
from headwater.refresh.facts import Facts, Problem
from headwater.refresh.hints import FORCE_FULL
from headwater.refresh.reasons import Reason


@dataclass(frozen=True, slots=True)
class Choice:
    """What a refresh is to be; `detail` says more than the reason's own words can."""

    kind: RefreshKind
    reason: Reason
    detail: str | None = None

    @property
    def words(self) -> str:
        """The reason for people."""
        return self.reason.words if self.detail is None else f"{self.reason.words}: {self.detail}"


def choose(facts: Facts) -> Choice:
    """The kind of refresh before costs are weighed.

    What makes the stored rows useless comes first, then whether there is anything to do at all,
    then whether it can be done incrementally.
    """
    forced = _forced(facts)
    if forced is not None:
        return forced
    changed = {source.change for source in facts.sources} - {Change.NONE}
    ignored = ", ".join(source.name for source in facts.sources if source.ignored)
    if not changed and not facts.date_matters:
        return _nothing(facts, ignored)
    if facts.mode is RefreshMode.FULL:
        return Choice(RefreshKind.FULL, Reason.MODE_FULL)
    if facts.not_incremental is not None:
        return _full(facts.not_incremental)
    if ignored and (Change.ANY in changed or facts.date_matters):
        # Rows that go are looked for as they would be today, and not as they were written.
        return Choice(RefreshKind.FULL, Reason.DIMENSION_CHANGED, ignored)
    if Change.ANY in changed:
        return Choice(RefreshKind.INCREMENTAL, Reason.ROWS_CHANGED)
    if facts.date_matters:
        return Choice(RefreshKind.INCREMENTAL, Reason.DATE_CHANGED)
    return Choice(RefreshKind.INCREMENTAL, Reason.ROWS_ADDED)


def _nothing(facts: Facts, ignored: str) -> Choice:
    if ignored:
        return Choice(RefreshKind.NO_DATA, Reason.ONLY_DIMENSIONS_CHANGED, ignored)
    moved = any(source.from_version != source.to_version for source in facts.sources)
    reason = Reason.NO_ROWS_CHANGED if moved else Reason.SOURCES_UNCHANGED
    return Choice(RefreshKind.NO_DATA, reason)


def _forced(facts: Facts) -> Choice | None:
    """A refresh that nothing can spare."""
    if not facts.refreshed_before:
        return Choice(RefreshKind.FULL, Reason.FIRST_REFRESH)
    problems = [*facts.problems, *(s.problem for s in facts.sources if s.problem is not None)]
    if facts.full_asked_for:
        problems.append(Problem(Reason.FULL_ASKED_FOR, FORCE_FULL))
    order = list(Reason)
    first = min(problems, key=lambda problem: order.index(problem.reason), default=None)
    if first is None:
        return None
    return _full(first) if first.reason is not Reason.COLUMNS_ADDED else _filling(facts, first)


def _filling(facts: Facts, lacking: Problem) -> Choice:
    """Rows that lack columns, and nothing else: only what differs is written."""
    if facts.mode is RefreshMode.FULL:
        return Choice(RefreshKind.FULL, Reason.MODE_FULL)
    if facts.not_incremental is not None:
        return _full(facts.not_incremental)
    ignored = ", ".join(source.name for source in facts.sources if source.ignored)
    if ignored:
        return Choice(RefreshKind.FULL, Reason.DIMENSION_CHANGED, ignored)
    return Choice(RefreshKind.INCREMENTAL, lacking.reason, lacking.detail)


def _full(problem: Problem) -> Choice:
    return Choice(RefreshKind.FULL, problem.reason, problem.detail or None)
