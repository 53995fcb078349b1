"""CREATE MATERIALIZED VIEW: a dynamic table that is filled at once, or not made at all.

Invariant: after BUILD IMMEDIATE the view holds the rows of its query, or there is no view.
"""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.result import Result
from headwater.sql.create_materialized_view import CreateMaterializedView
from headwater.statements.context import Context
from headwater.statements.create_dynamic_table import inserted, make
from headwater.statements.drop_table import drop_stored
from headwater.statements.refreshing import refresh


def create_materialized_view(context: Context, statement: CreateMaterializedView) -> Result:
    """Make a materialized view, or give one a new query."""
    return make(context, statement.table, _built)


def _built(context: Context, view: DynamicTable, done: str) -> str:
    """Refresh a view at the end of the statement that made it; if that fails, it goes again."""
    try:
        return inserted(refresh(context, view))
    except BaseException as error:
        _remove(context, view)
        if not isinstance(error, HeadwaterError):
            raise
        why = f"{error.condition}: {error.message}"
        kind = TransientError if isinstance(error, TransientError) else UserError
        raise kind("FIRST_BUILD_FAILED", view=view.qualified, why=why) from error


def _remove(context: Context, view: DynamicTable) -> None:
    """Nobody has seen it, so there is nothing to bring back."""
    table = context.store.tables.get_by_id(view.id)
    if table is None:
        return
    drop_stored(context, table)
    context.lake.remove_folder(table)
    context.store.tables.purge(table.id)
