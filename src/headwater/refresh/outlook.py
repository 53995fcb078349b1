"""A planned refresh after Spark was asked about its query: what will be done, and how."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from headwater.algebra.nodes import Types
from headwater.catalog.dynamic_tables import RefreshKind
from headwater.incremental.plan import DeltaPlan, plan
from headwater.lake.spark_session import SparkConnection
from headwater.refresh.choice import Choice
from headwater.refresh.planned import PlannedRefresh, chosen
from headwater.refresh.relations import PinnedSource
from headwater.refresh.understanding import Understandings
from headwater.runtime.open_lake import OpenLake
from headwater.sql.edits import EditedText
from headwater.tables.registration import register_table


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
    return Outlook(planned, delta, known.types)


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
