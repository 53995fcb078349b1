"""Rows that lack columns which the query passes on: worked out once more, and what differs written.

Law: delta = new(Q) - what the table holds. A row that is there does not say from which row of its
sources it came, so there is no shorter way to the values that it lacks.
"""

from __future__ import annotations

from headwater.catalog.dynamic_tables import RefreshKind
from headwater.incremental.maintenance import Maintenance
from headwater.incremental.plan import DeltaPlan, Outcome
from headwater.incremental.stored import whole_difference
from headwater.refresh.choice import Choice
from headwater.refresh.outlook import Outlook, Workshop, look_ahead, understood
from headwater.refresh.planned import PlannedRefresh, chosen
from headwater.refresh.reasons import Reason


def outlook_of(planned: PlannedRefresh, workshop: Workshop) -> Outlook:
    """What a refresh will do, after Spark was asked."""
    if planned.choice.reason is not Reason.COLUMNS_ADDED:
        return look_ahead(planned, workshop)
    known = understood(planned, workshop)
    if known.problem is None and known.query is not None:
        tree = Maintenance(known.query.tree, planned.changes, planned.dates, known.types)
        delta = whole_difference(known.query, tree)
        rows, parts = tree.parts.used_by(delta.node)
        plan = DeltaPlan(Outcome.CHANGE, rows[0], parts, tree.decisions)
        return Outlook(planned, known.query, plan, types=known.types)
    lacking = f"the rows that are there lack column {planned.choice.detail}"
    choice = Choice(RefreshKind.FULL, Reason.QUERY_CHANGED, lacking)
    return look_ahead(chosen(planned, choice), workshop)
