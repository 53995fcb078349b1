"""SHOW DYNAMIC TABLES, SHOW MATERIALIZED VIEWS: how each is refreshed, when last, when next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.catalog.dynamic_tables import DynamicTable, Refresh, RefreshState, Schedule
from headwater.catalog.schedules import ScheduledTable
from headwater.catalog.vclusters import DEFAULT_CLUSTER
from headwater.names import QualifiedName
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.schedule.due import next_due
from headwater.sql.dynamic_tables import ShowDynamicTables
from headwater.sql.privileges import Securable
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context
from headwater.statements.dynamic_schedule import clause_of, lag_of
from headwater.statements.filtered import filtered
from headwater.statements.known_workspace import known_workspace
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
    Column("suspended_reason", "string"),
    Column("virtual_cluster", "string"),
    Column("target_lag_second", "bigint"),
    Column("fresh_time", "timestamp"),
    Column("last_refresh_mode", "string"),
    Column("last_refresh_reason", "string"),
    Column("last_rows_inserted", "bigint"),
    Column("last_rows_deleted", "bigint"),
    Column("recent_states", "array<string>"),
    Column("source_tables", "array<map<string,string>>"),
)
_RECENT = 5


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of all tables of a workspace, each asked for once."""

    newest: Mapping[str, Refresh]
    recent: Mapping[str, list[RefreshState]]
    scheduled: Mapping[str, ScheduledTable]
    names: Mapping[str, QualifiedName]


def show_dynamic_tables(context: Context, statement: ShowDynamicTables) -> Result:
    """The dynamic tables, or the materialized views, of a schema or of a workspace."""
    workspace, schema = _place(context, statement)
    tables = context.store.dynamic_tables.list(workspace, schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    views = statement.kind is RefreshedKind.MATERIALIZED_VIEW
    shown = [
        table
        for table in tables
        if table.materialized_view is views and sees(table.schema, table.name)
    ]
    known = _known(context, workspace) if shown else _Known({}, {}, {}, {})
    rows = [_row(context, table, known) for table in shown]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)


def _place(context: Context, statement: ShowDynamicTables) -> tuple[str, str | None]:
    if statement.workspace is not None:
        return known_workspace(context, statement.workspace), None
    return scope(context, statement.schema)


def _known(context: Context, workspace: str) -> _Known:
    store = context.store
    return _Known(
        store.refreshes.newest(workspace),
        store.refreshes.recent_states(workspace, most=_RECENT),
        {table.id: table for table in store.schedules.list()},
        store.tables.qualified_names(workspace),
    )


def _row(context: Context, table: DynamicTable, known: _Known) -> Row:
    local = context.session.local
    last, scheduled = known.newest.get(table.id), known.scheduled.get(table.id)
    due = None if scheduled is None else next_due(scheduled, now())
    schedule = table.schedule or Schedule()
    return (
        table.schema,
        table.name,
        "SUSPENDED" if table.suspended else "ACTIVE",
        table.mode.value,
        shown_schedule(table.schedule),
        None if last is None else local(last.started_at),
        None if last is None else last.state.value,
        local(due),
        table.suspended_reason,
        schedule.vcluster or DEFAULT_CLUSTER,
        schedule.target_lag_seconds or schedule.interval_seconds,
        None if scheduled is None else local(scheduled.refreshed_at),
        None if last is None or last.kind is None else last.kind.value,
        None if last is None else last.detail.get("because"),
        None if last is None else last.rows_inserted,
        None if last is None else last.rows_deleted,
        [state.value for state in known.recent.get(table.id, ())],
        [_source(known.names[id]) for id in table.sources if id in known.names],
    )


def _source(name: QualifiedName) -> dict[str, str]:
    return {"schema": name.schema, "table_name": name.name, "workspace": name.workspace}


def shown_schedule(schedule: Schedule | None) -> str | None:
    """The clauses of a schedule, in one line."""
    clauses = (clause_of(schedule), lag_of(schedule))
    return " ".join(clause.to_sql() for clause in clauses if clause is not None) or None
