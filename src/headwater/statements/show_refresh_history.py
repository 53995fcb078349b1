"""SHOW DYNAMIC TABLE REFRESH HISTORY: what refreshes did in the last seven days."""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog.dynamic_tables import Refresh
from headwater.catalog.objects import TableKind
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.dynamic_tables import MOST_REFRESHES, ShowRefreshHistory
from headwater.sql.privileges import Securable
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.visibility import seen

_DAYS = 7
_KINDS = {
    RefreshedKind.DYNAMIC_TABLE: TableKind.DYNAMIC,
    RefreshedKind.MATERIALIZED_VIEW: TableKind.MATERIALIZED_VIEW,
}
COLUMNS = (
    Column("workspace_name", "string"),
    Column("schema_name", "string"),
    Column("name", "string"),
    Column("virtual_cluster", "string"),
    Column("start_time", "timestamp"),
    Column("end_time", "timestamp"),
    Column("duration", "interval day to second"),
    Column("state", "string"),
    Column("refresh_trigger", "string"),
    Column("suspended_reason", "string"),
    Column("refresh_mode", "string"),
    Column("error_message", "string"),
    Column("source_tables", "array<map<string,string>>"),
    Column("stats", "map<string,string>"),
    Column("completion_target", "string"),
    Column("job_id", "string"),
)


def show_refresh_history(context: Context, statement: ShowRefreshHistory) -> Result:
    """Newest first, of one dynamic table or view, or of all of that kind in the workspace."""
    table_id = None
    if statement.name is not None:
        tail = " REFRESH HISTORY"
        table, _ = find_dynamic_table(
            context, statement.name, verb="SHOW", kind=statement.kind, tail=tail
        )
        table_id = table.id
    rest = statement.filter
    plain = rest.like is None and rest.where is None
    found = context.store.refreshes.list(
        context.session.workspace,
        table_id=table_id,
        since=now() - timedelta(days=_DAYS),
        limit=(rest.limit if plain else None) or MOST_REFRESHES,
        kind=_KINDS[statement.kind],
    )
    sees = seen(context, Securable.TABLE, context.session.workspace)
    rows = [_row(context, refresh) for refresh in found if sees(refresh.schema, refresh.name)]
    clusters = ("virtual_cluster",)
    return filtered(context, COLUMNS, rows, rest, like_column=2, any_case=clusters)


def _row(context: Context, refresh: Refresh) -> Row:
    return (
        refresh.workspace,
        refresh.schema,
        refresh.name,
        refresh.virtual_cluster,
        context.session.local(refresh.started_at),
        context.session.local(refresh.ended_at),
        (refresh.ended_at or now()) - refresh.started_at,
        refresh.state.value,
        refresh.trigger.value,
        refresh.suspended_reason,
        None if refresh.kind is None else refresh.kind.value,
        refresh.error_message,
        _sources(refresh),
        _stats(refresh),
        None,
        refresh.job_id,
    )


def _sources(refresh: Refresh) -> list[dict[str, str]]:
    return [
        {"schema": name.schema, "table_name": name.name, "workspace": name.workspace}
        for name in refresh.source_tables
    ]


def _stats(refresh: Refresh) -> dict[str, str] | None:
    """Numbers as texts; None as long as there are none. Also which partition it was, if one."""
    if refresh.rows_inserted is None and refresh.rows_deleted is None:
        return None
    part = {} if refresh.partition is None else {"partition": str(refresh.partition)}
    return {
        "rows_deleted": str(refresh.rows_deleted or 0),
        "rows_inserted": str(refresh.rows_inserted or 0),
        **part,
    }
