"""A refresh from its first look at the sources to its row in the history."""

from __future__ import annotations

import sys
from dataclasses import replace

from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Refresh,
    RefreshKind,
    RefreshMode,
    RefreshState,
    RefreshTrigger,
)
from headwater.errors import HeadwaterError, SchemaError, TransientError, UserError
from headwater.lake.commits.writes import Applied
from headwater.names import QualifiedName
from headwater.refresh.choice import FORCE_FULL, Choice
from headwater.refresh.definition import Definition, define
from headwater.refresh.outlook import Outlook, Workshop, look_ahead
from headwater.refresh.planned import (
    LEAST_BYTES_FOR_STATES,
    STATE_TABLES,
    Moment,
    PlannedRefresh,
    chosen,
    plan_refresh,
)
from headwater.refresh.reasons import Reason
from headwater.refresh.run import run_refresh
from headwater.refresh.settings import settings_that_matter
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.statements.context import Context
from headwater.statements.dynamic_query import query_sources
from headwater.statements.spark_text import spark_text
from headwater.time_zones import zone_of

_ALLOWED_IN_STRICT = frozenset(
    {Reason.FIRST_REFRESH, Reason.QUERY_CHANGED, Reason.FULL_ASKED_FOR, Reason.TABLE_CHANGED}
)


# What must never be mended by writing all rows anew, because it tells of a mistake in the rows.
_FATAL = frozenset({"REFRESH_DELETES_MISSING_ROW"})


def refresh(
    context: Context,
    dynamic_table: DynamicTable,
    *,
    trigger: RefreshTrigger = RefreshTrigger.MANUAL,
) -> Refresh:
    """Bring a dynamic table up to date; the history tells how it went, also when it failed."""
    context.lake.writer.ensure()
    started = context.store.refreshes.start(_new_refresh(context, dynamic_table, trigger))
    reach("refresh.started")
    try:
        done = _refreshed(context, dynamic_table, started)
    except BaseException as error:
        failed = replace(started, state=RefreshState.FAILED, error_message=_words(error))
        context.store.refreshes.finish(replace(failed, ended_at=now()))
        if isinstance(error, HeadwaterError):
            # A place in the query is none in the statement.
            error.span = None
        raise
    context.store.refreshes.finish(done)
    return done


def _refreshed(context: Context, dynamic_table: DynamicTable, started: Refresh) -> Refresh:
    planned = plan_of(context, dynamic_table)
    known = replace(started, source_tables=_names(planned))
    if planned.choice.kind is RefreshKind.NO_DATA:
        context.store.dynamic_tables.set_frontier(
            dynamic_table.id, planned.frontier, number=started.number
        )
        return _succeeded(known, Outlook(planned), None)
    with context.session.lock:
        workshop = workshop_of(context, planned)
        outlook = look_ahead(planned, workshop)
        require_allowed(context, outlook)
        try:
            applied = run_refresh(outlook, workshop, context.author, number=started.number)
        except HeadwaterError as error:
            outlook = _retreat(outlook, error)
            require_allowed(context, outlook)
            applied = run_refresh(outlook, workshop, context.author, number=started.number)
    return _succeeded(known, outlook, applied)


def _retreat(outlook: Outlook, error: HeadwaterError) -> Outlook:
    """The refresh in full, after it failed as an incremental one; else the error again.

    An old version may lack files that another tool removed, and a plan of ours may be one that
    Spark refuses. A change that does not fit the rows is no reason to write over them.
    """
    fatal = isinstance(error, TransientError) or error.condition in _FATAL
    if outlook.choice.kind is not RefreshKind.INCREMENTAL or fatal:
        raise error
    choice = Choice(RefreshKind.FULL, Reason.PLAN_FAILED, f"{error.condition}: {error.message}")
    return Outlook(chosen(outlook.planned, choice))


def _succeeded(started: Refresh, outlook: Outlook, applied: Applied | None) -> Refresh:
    choice = outlook.choice
    return replace(
        started,
        state=RefreshState.SUCCEED,
        ended_at=now(),
        kind=choice.kind,
        reason=choice.reason,
        rows_inserted=0 if applied is None else applied.rows_inserted,
        rows_deleted=0 if applied is None else applied.rows_deleted,
        detail={
            "because": choice.words,
            "sources": [source.facts.to_dict() for source in outlook.planned.sources],
            "write": None if applied is None else applied.how.value,
            "expected_seconds": outlook.expected,
        },
    )


def plan_of(context: Context, dynamic_table: DynamicTable) -> PlannedRefresh:
    """What a refresh would have to do now."""
    definition = definition_of(context, dynamic_table)
    return plan_refresh(context.lake, dynamic_table, definition, moment_of(context))


def definition_of(context: Context, dynamic_table: DynamicTable) -> Definition:
    """The query of a dynamic table; its names are looked up anew, its stars mean what they did.

    A source that was dropped and made anew is another table.
    """
    inside = where_defined(context, dynamic_table)
    sources = query_sources(inside, dynamic_table.qualified, dynamic_table.query, start=0)
    ids = tuple(source.id for source in sources)
    if ids != dynamic_table.sources:
        context.store.dynamic_tables.replace(replace(dynamic_table, sources=ids))
    table = context.store.tables.get_by_id(dynamic_table.id)
    assert table is not None
    return define(
        context.lake,
        dynamic_table.query,
        names=tuple(column.name for column in table.shape.columns),
        workspace=dynamic_table.query_workspace,
        schema=dynamic_table.query_schema,
        columns=dynamic_table.source_columns,
    )


def where_defined(context: Context, dynamic_table: DynamicTable) -> Context:
    """The context in which the names of the query mean what they meant when it was given."""
    return replace(
        context, workspace=dynamic_table.query_workspace, schema=dynamic_table.query_schema
    )


def moment_of(context: Context) -> Moment:
    """Now, as the session sees it."""
    session, at = context.session, now()
    forced = session.settings.get(FORCE_FULL, "false").lower() == "true"
    return Moment(
        at,
        at.astimezone(zone_of(session.time_zone)).date(),
        settings_that_matter(session.settings, context.lake.config.spark_conf, session.time_zone),
        full_asked_for=forced,
        least_bytes_for_states=_least_bytes(session.settings.get(STATE_TABLES)),
    )


def _least_bytes(wish: str | None) -> int:
    """From which size of the sources on groups are kept: true is always, false is never."""
    known = {"true": 0, "false": sys.maxsize}
    return known.get((wish or "").lower(), LEAST_BYTES_FOR_STATES)


def workshop_of(context: Context, planned: PlannedRefresh) -> Workshop:
    """What the refresh of a table works with, in this session."""
    dynamic_table = planned.dynamic_table
    there = where_defined(context, dynamic_table)
    pins = planned.pins()
    latest = {id: replace(pin, delta_version=None) for id, pin in pins.items()}
    session = context.session
    return Workshop(
        context.lake,
        session.spark(),
        session.understandings,
        pinned=lambda: spark_text(there, dynamic_table.query, pins=pins),
        current=lambda: spark_text(there, dynamic_table.query, pins=latest),
        new_view=session.next_view_name,
    )


def require_allowed(context: Context, outlook: Outlook) -> None:
    """INCREMENTAL STRICT would rather fail than work everything out anew."""
    choice, table = outlook.choice, outlook.planned.dynamic_table
    strict = table.mode is RefreshMode.STRICT and choice.kind is RefreshKind.FULL
    if not strict or choice.reason in _ALLOWED_IN_STRICT:
        return
    kind = UserError if choice.reason is Reason.NOT_INCREMENTAL else SchemaError
    raise kind("NOT_INCREMENTAL", table=table.qualified, reason=choice.words)


def _new_refresh(context: Context, table: DynamicTable, trigger: RefreshTrigger) -> Refresh:
    cluster = table.schedule.vcluster if table.schedule is not None else None
    return Refresh(
        table_id=table.id,
        number=0,
        workspace=table.workspace,
        schema=table.schema,
        name=table.name,
        virtual_cluster=cluster or context.session.vcluster,
        started_at=now(),
        job_id=context.job_id,
        trigger=trigger,
    )


def _names(planned: PlannedRefresh) -> tuple[QualifiedName, ...]:
    tables = (source.table for source in planned.sources)
    return tuple(QualifiedName(table.workspace, table.schema, table.name) for table in tables)


def _words(error: BaseException) -> str:
    """What the history keeps of a failure: never a Java trace."""
    if isinstance(error, HeadwaterError):
        return f"{error.condition}: {error.message}"
    return f"interrupted by {type(error).__name__}"
