"""DROP DYNAMIC TABLE: gone from sight, unless another dynamic table reads it."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.dynamic_tables import DropDynamicTable
from headwater.statements.context import Context
from headwater.statements.drop_table import drop_stored
from headwater.statements.find_dynamic_table import find_dynamic_table


def drop_dynamic_table(context: Context, statement: DropDynamicTable) -> Result:
    """Drop a dynamic table; UNDROP TABLE brings it back with its query."""
    name = context.qualify(statement.name)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None and statement.if_exists:
        return Result(message=f"there is no dynamic table {name}")
    table, _ = find_dynamic_table(context, statement.name, statement="DROP DYNAMIC TABLE")
    readers = context.store.dynamic_tables.readers_of(table.id)
    if readers:
        reader, span = readers[0].qualified, context.span_of(statement.name)
        raise UserError("DYNAMIC_TABLE_IS_READ", table=name, reader=reader, span=span)
    drop_stored(context, table)
    return Result(message=f"dynamic table {name} dropped; UNDROP TABLE {name} brings it back")
