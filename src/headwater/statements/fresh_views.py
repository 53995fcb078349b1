"""Which materialized views hold, at this moment, exactly the rows of their queries.

Law: a view is fresh if a refresh would find nothing to do, by the logs of its sources and of itself
and under the settings of this session. Everything that could make its rows others rules it out.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.algebra.answering.views import StoredView
from headwater.catalog.dynamic_tables import DynamicTable, RefreshKind
from headwater.errors import HeadwaterError
from headwater.refresh.given import given_of
from headwater.refresh.outlook import pinned_sources
from headwater.refresh.planned import PlannedRefresh
from headwater.refresh.problems import IGNORED
from headwater.refresh.reasons import Reason
from headwater.statements.context import Context
from headwater.statements.refreshing import plan_of, workshop_of
from headwater.statements.reshaping import same_columns


@dataclass(frozen=True, slots=True)
class FreshView:
    """A view that may be read in place of its query, and the source versions it stands for."""

    stored: StoredView
    planned: PlannedRefresh

    @property
    def versions(self) -> dict[str, int]:
        """The Delta versions of its sources, by their ids."""
        return {source.table.id: source.facts.to_version for source in self.planned.sources}


def fresh_view(context: Context, view: DynamicTable) -> FreshView | str:
    """The view with its tree, or why it is not to be used."""
    if not view.query_rewrite:
        return "it says DISABLE QUERY REWRITE"
    if given_of(view):
        return "its rows have values that they were given when they came"
    try:
        planned = plan_of(context, view)
    except HeadwaterError as error:
        return f"{error.condition}: {error.message}"
    return why_stale(planned) or _understood(context, planned)


def why_stale(planned: PlannedRefresh) -> str | None:
    """Why the rows of a view may be others than those of its query now; None if they are not."""
    view, definition, choice = planned.dynamic_table, planned.definition, planned.choice
    if choice.reason is Reason.FIRST_REFRESH:
        return "it was never refreshed"
    if choice.kind is not RefreshKind.NO_DATA:
        return f"it is stale: {choice.words}"
    before = view.frontier
    overlooked = any(source.facts.ignored for source in planned.sources)
    if before is None or before.detail.get(IGNORED) or overlooked:
        return "it does not follow all of its sources"
    if definition.parameter_keys:
        return "its query reads parameters"
    if definition.reads_date:
        return "its query reads the date"
    if view.columns is not None and not same_columns(planned.table, view.columns):
        return "it waits for a refresh that gives it other columns"
    return None


def _understood(context: Context, planned: PlannedRefresh) -> FreshView | str:
    """The tree, if Spark confirms that it is what the text says."""
    definition, table = planned.definition, planned.table
    if definition.query is None:
        problem = definition.not_incremental
        return f"its query is not understood: {problem.detail if problem else ''}"
    workshop = workshop_of(context, planned)
    known = context.session.understandings.of(
        definition, workshop.spark, pinned_sources(planned, context.lake), workshop.current
    )
    if known.query is None:
        return "Spark does not confirm that its query was understood"
    columns = tuple((column.name, column.type) for column in table.shape.columns)
    stored = StoredView(table.id, f"{table.schema}.{table.name}", known.query.tree, columns)
    return FreshView(stored, planned)
