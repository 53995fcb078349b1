"""DROP VIEW, also of a temporary one."""

from __future__ import annotations

from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.drop import DropView
from headwater.statements.alter_view import require_view
from headwater.statements.context import Context


def drop_view(context: Context, statement: DropView) -> Result:
    """Drop a view."""
    name, session = statement.name, context.session
    if name.schema is None and name.name in session.temporary_views:
        with session.lock:
            session.spark().drop_users_view(name.name)
            session.temporary_views.discard(name.name)
        return Result(message=f"temporary view {name} dropped")
    qualified = context.qualify(name)
    found = context.store.tables.get(qualified.workspace, qualified.schema, qualified.name)
    if found is None and statement.if_exists:
        return Result(message=f"there is no view {qualified}")
    view = require_view(context, name, statement="DROP VIEW")
    context.lake.writer.ensure()
    dropped = context.store.tables.drop(view, now())
    context.store.tables.purge(dropped.id)
    return Result(message=f"view {qualified} dropped")
