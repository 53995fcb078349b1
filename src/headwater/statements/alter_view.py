"""ALTER VIEW: a new query, a new name, a new comment."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table, TableKind
from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.views import AlterView
from headwater.statements.context import Context
from headwater.statements.create_view import named, view_columns
from headwater.statements.rename import rename_table


def alter_view(context: Context, statement: AlterView) -> Result:
    """Change a view."""
    view = require_view(context, statement.name, statement="ALTER VIEW")
    name, name_span = context.qualify(statement.name), context.span_of(statement.name)
    context.lake.writer.ensure()
    if statement.rename_to is not None:
        return rename_table(context, view, statement.rename_to)
    shape = view.shape
    changed = replace(view, modified_at=now())
    if statement.query is not None:
        columns = named(view_columns(context, name, statement.query_span), (), name_span)
        changed = replace(changed, view_text=statement.query, view_schema=context.session.schema)
        changed = replace(changed, shape=replace(shape, columns=columns))
    else:
        changed = replace(changed, shape=replace(shape, comment=statement.comment))
    context.store.tables.replace_view(changed)
    return Result(message=f"view {name} altered")


def require_view(context: Context, name: ObjectName, *, statement: str) -> Table:
    """The view of that name; a table is refused."""
    view = context.table(name)
    if view.kind is not TableKind.VIEW:
        span = context.span_of(name)
        words = view.kind.words
        instead = statement.replace("VIEW", words)
        raise UserError(
            "NOT_A_VIEW",
            name=context.qualify(name),
            statement=statement,
            kind=words.lower(),
            instead=instead,
            span=span,
        )
    return view
