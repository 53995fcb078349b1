"""UNDROP TABLE."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.drop import UndropTable
from headwater.statements.context import Context
from headwater.tables.find import find_schema, name_taken, rename_first


def undrop_table(context: Context, statement: UndropTable) -> Result:
    """Bring back the table of that name that was dropped last."""
    name = context.qualify(statement.name)
    span = context.span_of(statement.name)
    find_schema(context.store, name.workspace, name.schema, span=span)
    dropped = context.store.tables.latest_dropped(name.workspace, name.schema, name.name)
    if dropped is None:
        raise UserError("NOTHING_TO_UNDROP", table=name, span=span)
    taken = context.store.tables.get(name.workspace, name.schema, name.name)
    if taken is not None:
        raise name_taken(taken, span=span, hint=rename_first(taken))
    context.lake.writer.ensure()
    context.store.tables.undrop(dropped)
    return Result(message=f"table {name} is back")
