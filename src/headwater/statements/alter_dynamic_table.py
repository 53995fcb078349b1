"""ALTER DYNAMIC TABLE: its schedule, its mode, and what ALTER TABLE may do to its table."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.dynamic_tables import DynamicTable, RefreshMode, Schedule
from headwater.errors import UserError
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.dynamic_tables import AlterDynamicTable, SetMode, SetRefresh, Suspend
from headwater.statements.alter_table import alter_stored
from headwater.statements.context import Context
from headwater.statements.find_dynamic_table import find_dynamic_table


def alter_dynamic_table(context: Context, statement: AlterDynamicTable) -> Result:
    """Change a dynamic table; its rows stay as they are."""
    name, action = context.qualify(statement.name), statement.action
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None and statement.if_exists:
        return Result(message=f"there is no dynamic table {name}")
    table, dynamic = find_dynamic_table(context, statement.name, statement="ALTER DYNAMIC TABLE")
    match action:
        case Suspend(suspended):
            changed = _suspended(dynamic, suspended)
            done = "suspended" if suspended else "resumed"
        case SetMode(mode):
            changed = replace(dynamic, mode=RefreshMode(mode))
            done = f"refreshed in mode {mode}"
        case SetRefresh(clause):
            old = dynamic.schedule or Schedule(start=now())
            seconds, vcluster = clause.interval_seconds, clause.vcluster
            schedule = replace(
                old,
                interval_seconds=seconds if seconds is not None else old.interval_seconds,
                vcluster=vcluster or old.vcluster,
            )
            changed, done = replace(dynamic, schedule=schedule), "altered"
        case _:
            return alter_stored(context, table, action)
    context.lake.writer.ensure()
    context.store.dynamic_tables.replace(changed)
    return Result(message=f"dynamic table {name}: {done}")


def _suspended(dynamic: DynamicTable, suspended: bool) -> DynamicTable:
    if dynamic.schedule is None:
        raise UserError("NO_REFRESH_SCHEDULE", table=dynamic.qualified)
    return replace(dynamic, suspended=suspended)
