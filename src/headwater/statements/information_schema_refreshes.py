"""MATERIALIZED_VIEW_REFRESH_HISTORY of information_schema; dynamic tables are in it, too."""

from __future__ import annotations

import re

from headwater.catalog.dynamic_tables import Refresh
from headwater.result import Row
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.view_columns import view_columns
from headwater.statements.visibility import seen

REFRESHES = view_columns(
    "workspace_name, schema_name, materialized_view_name, cru double, virtual_cluster_name,"
    " status, scheduled_start_time timestamp, start_time timestamp, end_time timestamp,"
    " error_code, error_message, pt_date"
)
# An error's text starts with its condition.
_CONDITION = re.compile(r"([A-Z][A-Z0-9_.]*): ")


def refresh_rows(context: Context) -> list[Row]:
    """All refreshes of the workspace that are still kept, newest first."""
    workspace = context.session.workspace
    sees = seen(context, Securable.TABLE, workspace)
    found = context.store.refreshes.list(workspace)
    return [_row(context, refresh) for refresh in found if sees(refresh.schema, refresh.name)]


def _row(context: Context, refresh: Refresh) -> Row:
    started = context.session.local(refresh.started_at)
    return (
        refresh.workspace,
        refresh.schema,
        refresh.name,
        None,
        refresh.virtual_cluster,
        refresh.state.value,
        None,
        started,
        context.session.local(refresh.ended_at),
        error_code(refresh.error_message),
        refresh.error_message,
        started.strftime("%Y-%m-%d") if started else None,
    )


def error_code(message: str | None) -> str | None:
    """The condition that an error's text starts with.

    >>> error_code("TABLE_NOT_FOUND: there is no table or view 'public.t'")
    'TABLE_NOT_FOUND'
    """
    found = _CONDITION.match(message or "")
    return found[1] if found else None
