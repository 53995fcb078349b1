"""EXPLAIN REFRESH DYNAMIC TABLE and EXPLAIN CREATE DYNAMIC TABLE."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import RefreshKind
from headwater.refresh.explain import explain_json, explain_lines, prospect_json, prospect_lines
from headwater.refresh.filling import outlook_of
from headwater.refresh.outlook import Outlook
from headwater.result import Column, Result
from headwater.sql.dynamic_tables import ExplainCreate, ExplainRefresh
from headwater.sql.once_per_row import without_given
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements import dynamic_plan
from headwater.statements.adding_changes import (
    PROSPECT_OF_CHANGES,
    explained,
    explained_json,
    prospect_of_changes_json,
    waiting_for,
)
from headwater.statements.context import Context
from headwater.statements.dynamic_query import columns_given, query_sources
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.prospects import prospect_of
from headwater.statements.refreshing import named_partition, plan_of, sources_of, workshop_of
from headwater.statements.stream_query import streams_of

_COLUMNS = (Column("plan", "string"),)


def explain_refresh(context: Context, statement: ExplainRefresh) -> Result:
    """Say what a refresh would do now; nothing is written."""
    _, dynamic = find_dynamic_table(
        context, statement.name, verb="EXPLAIN REFRESH", kind=statement.kind
    )
    partition = named_partition(context, dynamic, statement.partition)
    sources = sources_of(context, dynamic)
    if streams_of(sources):
        waiting = waiting_for(context, dynamic, sources)
        lines = [explained_json(waiting)] if statement.json else explained(waiting)
        return Result.from_rows(_COLUMNS, [(line,) for line in lines])
    planned = plan_of(context, dynamic, partition, sources)
    outlook = Outlook(planned)
    if planned.choice.kind is RefreshKind.INCREMENTAL:
        with context.session.lock:
            outlook = outlook_of(planned, workshop_of(context, planned))
    if statement.json:
        return Result.from_rows(_COLUMNS, [(explain_json(outlook),)])
    return Result.from_rows(_COLUMNS, [(line,) for line in explain_lines(outlook)])


def explain_create(context: Context, statement: ExplainCreate) -> Result:
    """Say how the query of a dynamic table would be refreshed; nothing is made."""
    create = statement.create
    start = create.query_span.start if create.query_span is not None else 0
    name = context.qualify(create.name)
    given = columns_given(context, create.query, start=start)
    kept = create.kind is RefreshedKind.DYNAMIC_TABLE
    sources = query_sources(context, name, create.query, start=start, given=given, streams=kept)
    rows = without_given(create.query, [column.name for column in given])
    if streams_of(sources):
        # Whether it may read them is asked as CREATE asks it.
        dynamic_plan.plan_of(context, create, name)
        lines = [prospect_of_changes_json()] if statement.json else PROSPECT_OF_CHANGES
        return Result.from_rows(_COLUMNS, [(line,) for line in lines])
    prospect = prospect_of(context, rows)
    if statement.json:
        return Result.from_rows(_COLUMNS, [(prospect_json(prospect),)])
    return Result.from_rows(_COLUMNS, [(line,) for line in prospect_lines(prospect)])
