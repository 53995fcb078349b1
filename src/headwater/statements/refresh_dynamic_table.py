"""REFRESH DYNAMIC TABLE: the rows become those of the query over the sources as they are now."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import RefreshKind
from headwater.names import counted
from headwater.result import Result
from headwater.sql.dynamic_tables import RefreshDynamicTable
from headwater.statements.context import Context
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.refreshing import refresh


def refresh_dynamic_table(context: Context, statement: RefreshDynamicTable) -> Result:
    """Bring a dynamic table up to date."""
    _, dynamic = find_dynamic_table(context, statement.name, verb="REFRESH", kind=statement.kind)
    done = refresh(context, dynamic, partition=statement.partition)
    inserted, deleted = done.rows_inserted or 0, done.rows_deleted or 0
    what = f"{counted(inserted, 'row')} inserted, {counted(deleted, 'row')} deleted"
    if done.kind is RefreshKind.NO_DATA:
        what = "nothing to do"
    because = done.detail.get("because")
    part = "" if done.partition is None else f" PARTITION ({done.partition})"
    refreshed = f"{statement.kind.lower()} {dynamic.qualified}{part} refreshed"
    message = f"{refreshed}: {done.kind}, {what}; {because}"
    return Result(rowcount=inserted + deleted, message=message)
