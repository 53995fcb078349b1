"""The schedule of a dynamic table from its clauses, and after ALTER: an interval, or a lag."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from headwater.catalog.dynamic_tables import Schedule
from headwater.catalog.vclusters import DEFAULT_CLUSTER
from headwater.errors import UserError
from headwater.runtime.clock import now
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.refresh_clause import RefreshClause
from headwater.sql.target_lag import TargetLag
from headwater.statements.context import Context
from headwater.statements.find_vcluster import require_vcluster
from headwater.statements.time_travel import moment_of


def schedule_of(
    context: Context, statement: CreateDynamicTable, cluster: str | None
) -> Schedule | None:
    """The clauses with their moment; older statements name the `cluster` by a property.

    Where no cluster is named, it is that of the session that makes the table.
    """
    clause, lag = statement.refresh, statement.target_lag
    if clause is None and lag is None:
        return None
    vcluster = None if clause is None else clause.vcluster
    vcluster = vcluster or (cluster.upper() if cluster is not None else None)
    require_vcluster(context, vcluster)
    own = context.session.vcluster
    # DEFAULT is where a table without a cluster is refreshed.
    vcluster = vcluster or (own if own != DEFAULT_CLUSTER else None)
    if lag is not None:
        return with_lag(Schedule(vcluster=vcluster), lag)
    return with_clause(context, Schedule(vcluster=vcluster), clause or RefreshClause())


def with_clause(context: Context, old: Schedule, clause: RefreshClause) -> Schedule:
    """A schedule after REFRESH; what the clause does not say stays, and a lag ends."""
    require_vcluster(context, clause.vcluster)
    vcluster = clause.vcluster or old.vcluster
    if clause.start is None and clause.interval_seconds is None:
        return replace(old, vcluster=vcluster)
    start_text, start = old.start_text, old.start or now()
    if clause.start is not None:
        start_text, start = clause.start, _start(context, clause)
    seconds = clause.interval_seconds
    return Schedule(
        start_text, start, old.interval_seconds if seconds is None else seconds, vcluster
    )


def with_lag(old: Schedule, lag: TargetLag) -> Schedule:
    """A schedule that keeps a lag, whatever it was before."""
    downstream = lag.seconds is None
    return Schedule(vcluster=old.vcluster, target_lag_seconds=lag.seconds, downstream=downstream)


def _start(context: Context, clause: RefreshClause) -> datetime:
    """The moment of START WITH, which the sources must still remember."""
    start = moment_of(context, clause.start or "", clause.start_span)
    days = context.lake.config.data_retention_days
    if start < now() - timedelta(days=days):
        shown = context.session.local(start)
        raise UserError(
            "REFRESH_START_TOO_OLD",
            start=f"{shown:%Y-%m-%d %H:%M:%S}",
            days=days,
            span=clause.start_span,
        )
    return start


def is_planned(schedule: Schedule | None) -> bool:
    """Whether a schedule says when to refresh; it may name a cluster alone."""
    if schedule is None:
        return False
    return schedule.start is not None or lag_of(schedule) is not None


def lag_of(schedule: Schedule | None) -> TargetLag | None:
    """The lag that a schedule keeps, as its clause."""
    if schedule is None or (schedule.target_lag_seconds is None and not schedule.downstream):
        return None
    return TargetLag(schedule.target_lag_seconds)


def clause_of(schedule: Schedule | None) -> RefreshClause | None:
    """The REFRESH clause that makes a schedule; None where it has none."""
    if schedule is None:
        return None
    clause = RefreshClause(schedule.start_text, schedule.interval_seconds, schedule.vcluster)
    return None if clause == RefreshClause() else clause
