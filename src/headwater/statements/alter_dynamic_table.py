"""ALTER DYNAMIC TABLE: its schedule, its mode, and what ALTER TABLE may do to its table."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.dynamic_tables import DynamicTable, RefreshMode, Schedule
from headwater.errors import UserError
from headwater.refresh.given import rows_query
from headwater.result import Result
from headwater.sql.dynamic_tables import (
    AlterDynamicTable,
    SetMode,
    SetQueryRewrite,
    SetRefresh,
    SetTargetLag,
    Suspend,
    UnsetSchedule,
)
from headwater.statements.alter_table import alter_stored
from headwater.statements.context import Context
from headwater.statements.dynamic_schedule import (
    clause_of,
    is_planned,
    lag_of,
    with_clause,
    with_lag,
)
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.prospects import require_incremental
from headwater.statements.refreshing import where_defined
from headwater.statements.stream_query import full_of_changes


def alter_dynamic_table(context: Context, statement: AlterDynamicTable) -> Result:
    """Change a dynamic table; its rows stay as they are."""
    name, action, kind = context.qualify(statement.name), statement.action, statement.kind
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None and statement.if_exists:
        return Result(message=f"there is no {kind.lower()} {name}")
    table, dynamic = find_dynamic_table(context, statement.name, verb="ALTER", kind=kind)
    old = dynamic.schedule or Schedule()
    match action:
        case Suspend(suspended):
            changed = replace(dynamic, suspended=suspended)
            done = ("suspended" if suspended else "resumed") + _without(dynamic)
        case SetMode(mode):
            changed = _in_mode(context, dynamic, RefreshMode(mode))
            done = f"refreshed in mode {mode}"
        case SetRefresh(clause):
            with context.session.lock:
                schedule = with_clause(context, old, clause)
            changed, done = replace(dynamic, schedule=schedule), "altered"
        case SetTargetLag(lag):
            changed, done = replace(dynamic, schedule=with_lag(old, lag)), "altered"
        case UnsetSchedule(clause_name):
            changed = _without_schedule(dynamic, clause_name)
            done = "refreshed by hand alone"
        case SetQueryRewrite(enabled):
            changed = replace(dynamic, query_rewrite=enabled)
            done = f"queries are {'' if enabled else 'not '}rewritten onto it"
        case _:
            return alter_stored(context, table, action)
    context.lake.writer.ensure()
    context.store.dynamic_tables.replace(changed)
    if action == Suspend(False):
        context.store.schedules.resume(dynamic.id)
    return Result(message=f"{kind.lower()} {name}: {done}")


def _without(dynamic: DynamicTable) -> str:
    """What to know of a table that is refreshed by hand alone."""
    if is_planned(dynamic.schedule):
        return ""
    by_hand = f"REFRESH {dynamic.words} {dynamic.qualified}"
    return f"; it has no schedule, only {by_hand} refreshes it"


def _in_mode(context: Context, dynamic: DynamicTable, mode: RefreshMode) -> DynamicTable:
    """STRICT takes no query that it would have to refuse at each refresh, as CREATE does not.

    Changes that were consumed cannot be worked out in full, and need not be for anything else.
    """
    if any(map(context.store.streams.by_id, dynamic.sources)):
        if mode is RefreshMode.FULL:
            raise full_of_changes(dynamic.qualified)
        return replace(dynamic, mode=mode)
    if mode is RefreshMode.STRICT:
        there = where_defined(context, dynamic)
        require_incremental(there, dynamic.qualified, rows_query(dynamic), None)
    return replace(dynamic, mode=mode)


def _without_schedule(dynamic: DynamicTable, clause: str) -> DynamicTable:
    schedule = dynamic.schedule
    there = lag_of(schedule) if clause == "TARGET_LAG" else clause_of(schedule)
    if there is None:
        raise UserError("NO_SUCH_CLAUSE", table=dynamic.qualified, clause=clause)
    return replace(dynamic, schedule=None, suspended=False)
