"""DROP DYNAMIC TABLE: gone from sight, unless another one reads it; CASCADE takes those too.

Invariant: whoever reads goes before what it reads, so that no step leaves a table without sources.
"""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.dynamic_tables import DropDynamicTable
from headwater.statements.context import Context
from headwater.statements.drop_table import drop_stored
from headwater.statements.find_dynamic_table import find_dynamic_table


def drop_dynamic_table(context: Context, statement: DropDynamicTable) -> Result:
    """Drop a dynamic table; UNDROP TABLE brings it back with its query."""
    name, kind = context.qualify(statement.name), statement.kind
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None and statement.if_exists:
        return Result(message=f"there is no {kind.lower()} {name}")
    table, dynamic = find_dynamic_table(context, statement.name, verb="DROP", kind=kind)
    readers = _readers(context, dynamic)
    if readers and not statement.cascade:
        direct = context.store.dynamic_tables.readers_of(table.id)
        names, span = _names(direct), context.span_of(statement.name)
        hint = f"drop those first, or all of them: DROP {kind} {name} CASCADE"
        raise UserError("DYNAMIC_TABLE_IS_READ", table=name, readers=names, span=span, hint=hint)
    for reader in readers:
        stored = context.store.tables.get_by_id(reader.id)
        if stored is not None:
            drop_stored(context, stored)
    drop_stored(context, table)
    back = f"UNDROP TABLE {name} brings it back"
    if readers:
        back = f"so were {_names(readers)}, which read it; UNDROP TABLE brings each of them back"
    return Result(message=f"{kind.lower()} {name} dropped; {back}")


def _readers(context: Context, table: DynamicTable) -> list[DynamicTable]:
    """Everything that reads a table, also through others; the farthest first."""
    found: dict[str, DynamicTable] = {}

    def visit(read: DynamicTable) -> None:
        for reader in context.store.dynamic_tables.readers_of(read.id):
            if reader.id not in found:
                visit(reader)
                found[reader.id] = reader

    visit(table)
    return list(found.values())


def _names(tables: list[DynamicTable]) -> str:
    return ", ".join(f"'{table.qualified}'" for table in tables)
