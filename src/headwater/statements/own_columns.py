"""Other names for columns of a dynamic table: the definition and the table change together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from headwater.catalog.objects import Table
from headwater.errors import HeadwaterError
from headwater.sql.alter_table import Action, RenameColumn
from headwater.statements.context import Context


@contextmanager
def with_own_columns(context: Context, table: Table, action: Action) -> Iterator[None]:
    """Store what an action on a dynamic table's columns comes to; put it back if that fails.

    The definition comes first: if the process dies between, the next refresh finds that the table
    has other columns, and writes it anew. The other way round it would take the name back.
    """
    tables = context.store.dynamic_tables
    dynamic = tables.by_id(table.id) if table.kind.is_refreshed else None
    if dynamic is None or dynamic.columns is None or not isinstance(action, RenameColumn):
        yield
        return
    old = action.column[0].lower()
    columns = tuple(
        replace(column, name=action.to) if column.name.lower() == old else column
        for column in dynamic.columns
    )
    tables.replace(replace(dynamic, columns=columns))
    try:
        yield
    except HeadwaterError:
        tables.replace(dynamic)
        raise
