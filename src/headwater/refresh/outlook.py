"""A planned refresh after Spark was asked about its query: what will be done, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from headwater.algebra.nodes import Node, Types
from headwater.catalog.dynamic_tables import Refresh, RefreshKind, RefreshMode
from headwater.incremental.plan import DeltaPlan, plan
from headwater.lake.spark_session import SparkConnection
from headwater.refresh.choice import Choice
from headwater.refresh.costs import Costs, Took, costs
from headwater.refresh.planned import PlannedRefresh, chosen
from headwater.refresh.reasons import Reason
from headwater.refresh.relations import PinnedSource
from headwater.refresh.understanding import Understandings
from headwater.runtime.open_lake import OpenLake
from headwater.sql.edits import EditedText
from headwater.tables.registration import register_table

_REMEMBERED = 20


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a refresh works with: a session's Spark, and what it has learned of queries.

    `pinned` gives the query for Spark over the sources at their pinned versions, `current` over
    the tables as they are.
    """

    lake: OpenLake
    spark: SparkConnection
    understandings: Understandings
    pinned: Callable[[], AbstractContextManager[EditedText]]
    current: Callable[[], AbstractContextManager[EditedText]]
    new_view: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Outlook:
    """A refresh that is ready to run; `delta` is the plan of an incremental one."""

    planned: PlannedRefresh
    delta: DeltaPlan | None = None
    types: Types = field(default_factory=dict)
    expected: float | None = None
    """How many seconds it should take."""

    @property
    def choice(self) -> Choice:
        """What kind of refresh it is, and why."""
        return self.planned.choice


def look_ahead(planned: PlannedRefresh, workshop: Workshop) -> Outlook:
    """Ask Spark whether the query was understood, and plan the change if it was."""
    query = planned.definition.query
    if planned.choice.kind is not RefreshKind.INCREMENTAL or query is None:
        return Outlook(planned)
    known = workshop.understandings.of(
        planned.definition, workshop.spark, pinned_sources(planned, workshop.lake), workshop.current
    )
    if known.problem is not None:
        found = known.problem
        choice = Choice(RefreshKind.FULL, found.reason, found.detail or None)
        return Outlook(chosen(planned, choice))
    delta = plan(query, planned.changes, planned.dates, known.types)
    weighed = _weighed(planned, query.tree, delta, workshop.lake)
    if planned.dynamic_table.mode is RefreshMode.AUTO and weighed.full_is_cheaper:
        choice = Choice(RefreshKind.FULL, Reason.CHEAPER_IN_FULL, weighed.words)
        return Outlook(chosen(planned, choice), expected=weighed.full)
    return Outlook(planned, delta, known.types, expected=weighed.incremental)


def _weighed(planned: PlannedRefresh, tree: Node, delta: DeltaPlan, lake: OpenLake) -> Costs:
    sources = {source.table.id: source.facts for source in planned.sources}
    stored = planned.table.shape.totals.bytes or 0
    past = lake.store.refreshes.list(table_id=planned.table.id, limit=_REMEMBERED)
    return costs(tree, delta, sources, stored, [took for r in past for took in _took(r)])


def _took(refresh: Refresh) -> Iterator[Took]:
    expected = refresh.detail.get("expected_seconds")
    if expected and refresh.kind is not None and refresh.ended_at is not None:
        seconds = (refresh.ended_at - refresh.started_at).total_seconds()
        yield Took(refresh.kind, float(expected), seconds)


def pinned_sources(planned: PlannedRefresh, lake: OpenLake) -> dict[str, PinnedSource]:
    """The sources as Spark finds them."""
    return {
        source.table.id: PinnedSource(
            register_table(lake, source.table),
            source.facts.from_version,
            source.facts.to_version,
        )
        for source in planned.sources
    }
