"""VACUUM: remove the files of versions that nobody can ask for any more."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table
from headwater.errors import ValueRejected
from headwater.names import counted
from headwater.refresh.state_tables import recorded_states
from headwater.result import Result, string_columns
from headwater.sql.vacuum import Vacuum
from headwater.statements.context import Context
from headwater.streams.table_horizon import table_horizon
from headwater.streams.vacuum_horizon import Horizon
from headwater.tables.retention import retention_days
from headwater.tables.vacuum import removable_files, remove_files
from headwater.tables.versions import catch_up

_HOURS = 24


def vacuum(context: Context, statement: Vacuum) -> Result:
    """Remove files, or with DRY RUN list those that would go."""
    table = context.base_table(statement.name, statement="VACUUM")
    session, lake = context.session, context.lake
    # Nobody may make a stream between the look at the readers and the removal.
    with session.lock, lake.locks.hold(table.id):
        table = catch_up(lake, table)
        horizon = _horizon(context, statement, table)
        note = _note(context, horizon)
        spark = session.spark()
        if statement.dry_run:
            paths = removable_files(lake, spark, table, hours=horizon.hours)
            rows = [(path,) for path in paths]
            return replace(Result.from_rows(string_columns("path"), rows), message=note)
        dynamic = lake.store.dynamic_tables.by_id(table.id)
        kept = recorded_states(lake, table, None if dynamic is None else dynamic.frontier)
        states = {state.location: state.version for state in kept.values()}
        removed = remove_files(lake, spark, table, hours=horizon.hours, states=states)
    files = counted(removed.files, "file")
    name = f"{table.schema}.{table.name}"
    return Result(message=f"table {name}: {files} removed, {removed.bytes} bytes{note}")


def _horizon(context: Context, statement: Vacuum, table: Table) -> Horizon:
    days = retention_days(context.lake.config, table)
    asked = statement.hours
    if asked is not None and asked < days * _HOURS:
        raise ValueRejected(
            "VACUUM_RETENTION",
            table=f"{table.schema}.{table.name}",
            days=counted(days, "day"),
            hours=asked,
            fitting=asked // _HOURS,
            span=statement.hours_span,
        )
    return table_horizon(context.lake, table, hours=asked)


def _note(context: Context, horizon: Horizon) -> str:
    held = horizon.held_by
    if held is None:
        return ""
    since = context.session.shown(held.first_unconsumed_at).strftime("%Y-%m-%d %H:%M:%S")
    return f"; held back by {held.reader}, which waits with changes of {since}"
