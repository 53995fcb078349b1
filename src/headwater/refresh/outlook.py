"""A planned refresh after Spark was asked about its query: what will be done, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from headwater.algebra.nodes import Node, Query, Scan, Snapshot, Types
from headwater.algebra.walk import nodes_of
from headwater.catalog.dynamic_tables import Refresh, RefreshKind, RefreshMode
from headwater.incremental.plan import DeltaPlan, plan, rebuild, signatures
from headwater.incremental.states import Rebuilt
from headwater.lake.spark_session import SparkConnection
from headwater.refresh.choice import Choice
from headwater.refresh.costs import Costs, Took, costs
from headwater.refresh.facts import Problem
from headwater.refresh.followed import is_followed, loss_to_readers
from headwater.refresh.planned import PlannedRefresh, chosen
from headwater.refresh.reasons import Reason
from headwater.refresh.relations import PinnedSource
from headwater.refresh.state_tables import StateTable, recorded_states, signature_of
from headwater.refresh.understanding import Understanding, Understandings
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
    """A refresh that is ready to run; `delta` is the plan of an incremental one.

    A full one that keeps states has `rebuilt`. `states` are those there are.
    """

    planned: PlannedRefresh
    query: Query | None = None
    """In the form in which it is kept current."""
    delta: DeltaPlan | None = None
    rebuilt: Rebuilt | None = None
    states: Mapping[str, StateTable] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    types: Types = field(default_factory=dict)
    expected: float | None = None
    """How many seconds it should take."""
    overwrites: bool = False
    """Whether a full one writes all rows anew, whoever follows the table."""

    @property
    def choice(self) -> Choice:
        """What kind of refresh it is, and why."""
        return self.planned.choice


def look_ahead(planned: PlannedRefresh, workshop: Workshop) -> Outlook:
    """Ask Spark whether the query was understood, and plan the change if it was."""
    kind = planned.choice.kind
    keeps = kind is RefreshKind.FULL and _keeps_states(planned)
    if planned.definition.query is None or not (keeps or kind is RefreshKind.INCREMENTAL):
        return Outlook(planned)
    known = understood(planned, workshop)
    if known.problem is not None or known.query is None:
        return Outlook(planned if keeps else _in_full(planned, known.problem))
    if keeps:
        return _rebuilding(planned, known.query, known.types)
    return _incremental(planned, known.query, known.types, workshop.lake)


def understood(planned: PlannedRefresh, workshop: Workshop) -> Understanding:
    """What Spark says of the query; it is asked once."""
    sources = pinned_sources(planned, workshop.lake)
    return workshop.understandings.of(planned.definition, workshop.spark, sources, workshop.current)


def _in_full(planned: PlannedRefresh, problem: Problem | None) -> PlannedRefresh:
    assert problem is not None
    choice = Choice(RefreshKind.FULL, problem.reason, problem.detail or None)
    return chosen(planned, choice)


def _keeps_states(planned: PlannedRefresh) -> bool:
    """States cost a commit each: they pay where it takes long to read the sources."""
    dynamic_table = planned.dynamic_table
    if dynamic_table.mode is RefreshMode.FULL or dynamic_table.immutable_where is not None:
        return False
    return sum(source.facts.bytes for source in planned.sources) >= planned.least_bytes_for_states


def _rebuilding(planned: PlannedRefresh, query: Query, types: Types) -> Outlook:
    built = rebuild(query, planned.dates, types)
    named = signatures(query, planned.dates, types) if built is not None else {}
    return Outlook(planned, rebuilt=built, signatures=named, types=types)


def _incremental(planned: PlannedRefresh, query: Query, types: Types, lake: OpenLake) -> Outlook:
    recorded = recorded_states(lake, planned.table, planned.dynamic_table.frontier)
    named = signatures(query, planned.dates, types) if recorded else {}
    states = {
        name: state
        for name, state in recorded.items()
        if name in named and state.signature == signature_of(named[name])
    }
    whole = planned.dynamic_table.immutable_where is None
    small = planned.may_be_written_anew
    delta = plan(query, planned.changes, planned.dates, types, states, whole=whole, small=small)
    overlooked = _overlooked(planned, delta)
    if overlooked:
        return Outlook(_in_full(planned, Problem(Reason.DIMENSION_CHANGED, overlooked)))
    weighed = _weighed(planned, query.tree, delta, lake)
    if planned.dynamic_table.mode is RefreshMode.AUTO and weighed.full_is_cheaper:
        choice = Choice(RefreshKind.FULL, Reason.CHEAPER_IN_FULL, weighed.words)
        full = chosen(planned, choice)
        outlook = _rebuilding(full, query, types) if _keeps_states(full) else Outlook(full)
        return replace(outlook, expected=weighed.full, overwrites=weighed.overwrites)
    expected = weighed.incremental
    return Outlook(planned, query, delta, states=states, types=types, expected=expected)


def _overlooked(planned: PlannedRefresh, delta: DeltaPlan) -> str:
    """Dimension tables that changed unseen, if the plan works old rows out from sources.

    They would come out as they would be today, and not as they were written.
    """
    roots = [delta.rows, *(part.node for part in delta.parts)]
    leaves = (node for root in roots for node in nodes_of(root))
    if not any(isinstance(node, Scan) and node.at is Snapshot.OLD for node in leaves):
        return ""
    return ", ".join(source.facts.name for source in planned.sources if source.facts.ignored)


def _weighed(planned: PlannedRefresh, tree: Node, delta: DeltaPlan, lake: OpenLake) -> Costs:
    sources = {source.table.id: source.facts for source in planned.sources}
    stored = planned.table.shape.totals.bytes or 0
    past = lake.store.refreshes.list(table_id=planned.table.id, limit=_REMEMBERED)
    took = [one for refresh in past for one in _took(refresh)]
    followed = is_followed(planned, lake)
    loss = loss_to_readers(planned, lake) if followed else math.inf
    small = planned.may_be_written_anew
    return costs(tree, delta, sources, stored, took, small=small, followed=followed, loss=loss)


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
            signature=source.signature,
        )
        for source in planned.sources
    }
