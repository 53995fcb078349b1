"""SHOW DYNAMIC TABLES, SHOW MATERIALIZED VIEWS: how each is refreshed, when last, when next."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable, Schedule
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.schedule.due import next_due
from headwater.sql.dynamic_tables import ShowDynamicTables
from headwater.sql.privileges import Securable
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context
from headwater.statements.dynamic_schedule import clause_of, lag_of
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen

COLUMNS = (
    Column("schema_name", "string"),
    Column("name", "string"),
    Column("state", "string"),
    Column("refresh_mode", "string"),
    Column("schedule", "string"),
    Column("last_refresh_time", "timestamp"),
    Column("last_refresh_state", "string"),
    Column("next_refresh_time", "timestamp"),
)


def show_dynamic_tables(context: Context, statement: ShowDynamicTables) -> Result:
    """The dynamic tables, or the materialized views, of a schema."""
    workspace, schema = scope(context, statement.schema)
    tables = context.store.dynamic_tables.list(workspace, schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    shown = [table for table in tables if sees(table.schema, table.name)]
    views = statement.kind is RefreshedKind.MATERIALIZED_VIEW
    rows = [_row(context, table) for table in shown if table.materialized_view is views]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)


def _row(context: Context, table: DynamicTable) -> Row:
    past = context.store.refreshes.list(table_id=table.id, limit=1)
    last = past[0] if past else None
    scheduled = context.store.schedules.get(table.id)
    due = None if scheduled is None else next_due(scheduled, now())
    return (
        table.schema,
        table.name,
        "SUSPENDED" if table.suspended else "ACTIVE",
        table.mode.value,
        shown_schedule(table.schedule),
        None if last is None else context.session.local(last.started_at),
        None if last is None else last.state.value,
        context.session.local(due),
    )


def shown_schedule(schedule: Schedule | None) -> str | None:
    """The clauses of a schedule, in one line."""
    clauses = (clause_of(schedule), lag_of(schedule))
    return " ".join(clause.to_sql() for clause in clauses if clause is not None) or None
