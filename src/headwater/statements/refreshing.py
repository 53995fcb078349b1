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
from headwater.catalog.objects import Table
from headwater.catalog.partitions import Partition
from headwater.errors import HeadwaterError, SchemaError, TransientError, UserError
from headwater.lake.commits.writes import Applied
from headwater.names import QualifiedName
from headwater.refresh.choice import Choice
from headwater.refresh.definition import Definition, define
from headwater.refresh.explain import explain_lines
from headwater.refresh.filling import outlook_of
from headwater.refresh.given import own_names, rows_query
from headwater.refresh.hints import FORCE_FULL, is_on
from headwater.refresh.outlook import Outlook, Workshop, understood
from headwater.refresh.partitions import partition_of
from headwater.refresh.planned import (
    LEAST_BYTES_FOR_STATES,
    STATE_TABLES,
    Moment,
    PlannedRefresh,
    chosen,
    plan_refresh,
)
from headwater.refresh.reading import reading_of
from headwater.refresh.reasons import Reason
from headwater.refresh.run import Turn, run_refresh
from headwater.refresh.settings import settings_that_matter
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.sql.partition_spec import PartitionSpec
from headwater.sql.session_configs import given_parameters, parameter_keys
from headwater.statements.adding_changes import add_changes, waiting_for
from headwater.statements.begun_refresh import begun
from headwater.statements.context import Context
from headwater.statements.dynamic_query import query_sources
from headwater.statements.refresh_hints import refresh_hints
from headwater.statements.reshaping import reshaped
from headwater.statements.snapshot_views import pinned_text
from headwater.statements.spark_text import spark_text
from headwater.statements.stream_query import streams_of
from headwater.time_zones import zone_of

_ALLOWED_IN_STRICT = frozenset(
    {
        Reason.FIRST_REFRESH,
        Reason.QUERY_CHANGED,
        Reason.FULL_ASKED_FOR,
        Reason.PARAMETERS_CHANGED,
        Reason.TABLE_CHANGED,
        Reason.LISTED_SOURCE_CHANGED,
        Reason.SOURCE_CHANGED_MUCH,
    }
)


# What must never be mended by writing all rows anew, because it tells of a mistake in the rows.
_MISSING_ROW = "REFRESH_DELETES_MISSING_ROW"
_FATAL = frozenset(
    {
        _MISSING_ROW,
        "REFRESH_NEGATIVE_COUNT",
        "REFRESH_TWO_ROWS_FOR_A_KEY",
        "REFRESH_OUTSIDE_PARTITION",
    }
)
# A commit of somebody else, such as an OPTIMIZE, came between the plan and the commit.
_OVERTAKEN = "CONCURRENT_CHANGE"
_TRIES = 4


def refresh(
    context: Context, dynamic_table: DynamicTable, *, partition: PartitionSpec | None = None
) -> Refresh:
    """Bring a dynamic table up to date; the history tells how it went, also when it failed.

    After a refresh by hand the schedule counts from it, unless it failed.
    """
    context.lake.writer.ensure()
    by_hand = context.wave is None
    trigger = RefreshTrigger.MANUAL if by_hand else RefreshTrigger.LH_SCHEDULED
    new = _new_refresh(context, dynamic_table, trigger)
    part = named_partition(context, dynamic_table, partition)
    if part is not None:
        new = replace(new, detail={"partition": part.key})
    started = begun(context, new)
    reach("refresh.started")
    current = context.store.dynamic_tables.by_id(dynamic_table.id) or dynamic_table
    try:
        done = _refreshed(context, current, started)
    except BaseException as error:
        failed = replace(started, state=RefreshState.FAILED, error_message=_words(error))
        context.store.refreshes.finish(replace(failed, ended_at=now()))
        if isinstance(error, HeadwaterError):
            # A place in the query is none in the statement.
            error.span = None
        raise
    context.store.refreshes.finish(done)
    if by_hand:
        context.store.schedules.set_baseline(dynamic_table.id, done.started_at)
    return done


def _refreshed(context: Context, dynamic_table: DynamicTable, started: Refresh) -> Refresh:
    """The refresh, planned anew when another commit to the table came between plan and commit."""
    for attempt in range(_TRIES - 1):
        try:
            return _tried(context, dynamic_table, started, attempt)
        except TransientError as error:
            if error.condition != _OVERTAKEN:
                raise
    return _tried(context, dynamic_table, started, _TRIES - 1)


def _tried(
    context: Context, dynamic_table: DynamicTable, started: Refresh, attempt: int
) -> Refresh:
    current = reshaped(context, dynamic_table)
    sources = sources_of(context, current)
    if streams_of(sources):
        waiting = waiting_for(context, current, sources)
        return add_changes(context, waiting, started, now())
    planned = plan_of(context, current, started.partition, sources)
    known = replace(started, source_tables=_names(planned))
    if planned.choice.kind is RefreshKind.NO_DATA:
        context.store.dynamic_tables.set_frontier(
            dynamic_table.id,
            planned.frontier,
            number=started.number,
            partition=planned.partition,
        )
        return _succeeded(known, Outlook(planned), None)
    with context.session.lock:
        workshop = workshop_of(context, planned)
        outlook = outlook_of(planned, workshop)
        require_allowed(context, outlook)
        turn = Turn(started.number, attempt)
        try:
            applied = run_refresh(outlook, workshop, context.author, turn)
        except HeadwaterError as error:
            outlook = _retreat(outlook, error)
            require_allowed(context, outlook)
            applied = run_refresh(outlook, workshop, context.author, turn)
    return _succeeded(known, outlook, applied)


def _retreat(outlook: Outlook, error: HeadwaterError) -> Outlook:
    """The refresh in full, after it failed as an incremental one; else the error again.

    An old version may lack files that another tool removed, and a plan of ours may be one that
    Spark refuses. A change that does not fit the rows is no reason to write over them.
    """
    fatal = isinstance(error, TransientError) or error.condition in _FATAL
    if error.condition == _MISSING_ROW and outlook.planned.hints.dimensions:
        # Old rows may have been worked out with a dimension that has changed unseen since.
        fatal = False
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
            **started.detail,
            "because": choice.words,
            "sources": [source.facts.to_dict() for source in outlook.planned.sources],
            "write": None if applied is None else applied.how.value,
            "expected_seconds": outlook.expected,
            "plan": explain_lines(outlook),
        },
    )


def plan_of(
    context: Context,
    dynamic_table: DynamicTable,
    partition: Partition | None = None,
    sources: tuple[Table, ...] | None = None,
) -> PlannedRefresh:
    """What a refresh would have to do now, or in its wave."""
    definition = definition_of(context, dynamic_table, sources)
    for key in definition.parameter_keys:
        if key not in definition.parameters:
            raise UserError("PARAMETER_NOT_SET", table=dynamic_table.qualified, key=key)
    hints = refresh_hints(context, dynamic_table, definition)
    moment = moment_of(context, dynamic_table)
    return plan_refresh(
        context.lake,
        dynamic_table,
        definition,
        moment,
        wave=context.wave,
        partition=partition,
        hints=hints,
    )


def named_partition(
    context: Context, dynamic_table: DynamicTable, spec: PartitionSpec | None
) -> Partition | None:
    """The partition that a statement names; None for a table that is refreshed as a whole."""
    table = context.store.tables.get_by_id(dynamic_table.id)
    assert table is not None
    if spec is None and not table.shape.partition_columns:
        return None
    parameterised = bool(parameters_of(context, dynamic_table))
    return partition_of(table, spec, parameterised=parameterised)


def parameters_of(context: Context, dynamic_table: DynamicTable) -> tuple[str, ...]:
    """The parameters that the query of a dynamic table reads, also through views."""
    reading = reading_of(
        context.store,
        dynamic_table.query,
        workspace=dynamic_table.query_workspace,
        schema=dynamic_table.query_schema,
    )
    views = (view.view_text or "" for view in reading.views)
    return parameter_keys(dynamic_table.query, *views)


def sources_of(context: Context, dynamic_table: DynamicTable) -> tuple[Table, ...]:
    """What the query of a dynamic table reads; its names are looked up anew.

    A source that was dropped and made anew is another table.
    """
    sources = query_sources(
        where_defined(context, dynamic_table),
        dynamic_table.qualified,
        rows_query(dynamic_table),
        start=0,
        streams=not dynamic_table.materialized_view,
    )
    ids = tuple(source.id for source in sources)
    if ids != dynamic_table.sources:
        context.store.dynamic_tables.replace(replace(dynamic_table, sources=ids))
    return sources


def definition_of(
    context: Context, dynamic_table: DynamicTable, sources: tuple[Table, ...] | None = None
) -> Definition:
    """The query of a dynamic table; its stars mean what they did. `sources` if they are known."""
    if sources is None:
        sources_of(context, dynamic_table)
    table = context.store.tables.get_by_id(dynamic_table.id)
    assert table is not None
    return define(
        context.lake,
        rows_query(dynamic_table),
        names=own_names(dynamic_table, table),
        workspace=dynamic_table.query_workspace,
        schema=dynamic_table.query_schema,
        columns=dynamic_table.source_columns,
        parameters=given_parameters(context.session.settings),
    )


def where_defined(context: Context, dynamic_table: DynamicTable) -> Context:
    """The context in which the names of the query mean what they meant when it was given."""
    return replace(
        context, workspace=dynamic_table.query_workspace, schema=dynamic_table.query_schema
    )


def moment_of(context: Context, dynamic_table: DynamicTable) -> Moment:
    """Now, or the moment of the wave, as the session sees it."""
    session, at = context.session, now()
    if context.wave is not None:
        before = dynamic_table.frontier
        # Somebody may have refreshed the table since the wave began.
        later = before is not None and context.wave.at < before.at <= at
        at = before.at if before is not None and later else context.wave.at
    forced = is_on(session.settings, FORCE_FULL)
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
    session, query = context.session, rows_query(dynamic_table)
    return Workshop(
        context.lake,
        session.spark(),
        session.understandings,
        pinned=lambda: pinned_text(there, query, pins),
        current=lambda: spark_text(there, query, pins=latest),
        new_view=session.next_view_name,
    )


def why_in_full(context: Context, dynamic_table: DynamicTable) -> str | None:
    """Why refreshes of a table will work all rows out anew; None if they need not.

    Spark is asked here whether we read the query as it does, so that no refresh has to ask.
    """
    if dynamic_table.mode is RefreshMode.FULL:
        return None
    sources = sources_of(context, dynamic_table)
    if streams_of(sources):
        return None
    definition = definition_of(context, dynamic_table, sources)
    if any(key not in definition.parameters for key in definition.parameter_keys):
        return None
    moment = moment_of(context, dynamic_table)
    planned = plan_refresh(context.lake, dynamic_table, definition, moment)
    problem = definition.not_incremental
    if problem is None:
        with context.session.lock:
            problem = understood(planned, workshop_of(context, planned)).problem
    if problem is None:
        return None
    return f"{problem.reason.words}: {problem.detail}" if problem.detail else problem.reason.words


def require_allowed(context: Context, outlook: Outlook) -> None:
    """INCREMENTAL STRICT would rather fail than work everything out anew."""
    choice, table = outlook.choice, outlook.planned.dynamic_table
    strict = table.mode is RefreshMode.STRICT and choice.kind is RefreshKind.FULL
    strict = strict and not outlook.planned.hints.try_incremental
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
