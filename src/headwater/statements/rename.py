"""Giving a table or view another name; what ALTER TABLE and ALTER VIEW share."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.errors import NotSupported
from headwater.names import ObjectName
from headwater.result import Result
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, name_taken, rename_first
from headwater.tables.registration import unregister_table


def rename_table(context: Context, table: Table, to: ObjectName) -> Result:
    """Rename within the workspace; the files stay where they are."""
    span = context.span_of(to, last=True)
    schema = to.schema or table.schema
    if to.workspace not in (None, table.workspace):
        raise NotSupported("RENAME_ACROSS_WORKSPACES", span=span)
    words = table.kind.words.lower()
    require_allowed_name(to.name, words, span=span)
    find_schema(context.store, table.workspace, schema, span=span)
    taken = context.store.tables.get(table.workspace, schema, to.name)
    if taken is not None:
        same = "it has that name already; choose another"
        raise name_taken(
            taken, span=span, hint=same if taken.id == table.id else rename_first(taken)
        )
    context.lake.writer.ensure()
    with context.lake.locks.hold(table.id):
        context.store.tables.rename(table, schema=schema, name=to.name)
        if table.kind.stores_rows:
            unregister_table(context.lake, table)
    return Result(message=f"{words} renamed to {schema}.{to.name}")
