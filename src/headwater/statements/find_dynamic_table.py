"""From a name to the dynamic table it stands for."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.catalog.objects import Table, TableKind
from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.statements.context import Context


def find_dynamic_table(
    context: Context, name: ObjectName, *, statement: str
) -> tuple[Table, DynamicTable]:
    """The table with its definition; what is no dynamic table is refused."""
    table = context.table(name)
    dynamic = None
    if table.kind is TableKind.DYNAMIC:
        dynamic = context.store.dynamic_tables.by_id(table.id)
    if dynamic is None:
        words = table.kind.words
        drops = statement.startswith("DROP")
        raise UserError(
            "NOT_A_DYNAMIC_TABLE",
            name=context.qualify(name),
            statement=statement,
            kind=words.lower(),
            span=context.span_of(name),
            hint=f"DROP {words} {context.qualify(name)}" if drops else None,
        )
    return table, dynamic
