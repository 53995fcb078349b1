"""What UPDATE and DELETE do when their text holds sub-queries: run as a MERGE."""

from __future__ import annotations

from collections.abc import Callable

from headwater.catalog.objects import Operation, Table
from headwater.names import ObjectName
from headwater.sql.edits import Edit
from headwater.sql.subquery_dml import MergedTable, has_subquery
from headwater.sql.tokens import Token
from headwater.statements.context import Context
from headwater.statements.writing import written_table
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up

AsMerge = Callable[[str, list[Token], MergedTable], tuple[Edit, ...]]

# Spark cannot compare values of these types, so rows that hold them cannot be joined back.
_INCOMPARABLE = ("map<", "variant")


def merge_edits(
    context: Context, target: ObjectName, *, operation: Operation, as_merge: AsMerge
) -> tuple[Edit, ...]:
    """The edits that `as_merge` gives, or none where the statement can run as it is."""
    if not has_subquery(context.tokens):
        return ()
    table = catch_up(context.lake, written_table(context, target, operation=operation))
    if not _comparable(table):
        return ()
    name = register_table(context.lake, table)
    columns = [column.name for column in table.shape.columns]
    return as_merge(context.text, context.tokens, MergedTable(name, columns))


def _comparable(table: Table) -> bool:
    return not any(word in column.type for column in table.shape.columns for word in _INCOMPARABLE)
