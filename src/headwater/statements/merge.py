"""MERGE INTO."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Merge
from headwater.sql.merge_columns import merge_column_edits
from headwater.statements.context import Context
from headwater.statements.writing import write
from headwater.tables.versions import catch_up


def merge(context: Context, statement: Merge) -> Result:
    """Insert, update and delete rows by matching a source."""
    table = catch_up(context.lake, context.base_table(statement.target, statement="MERGE INTO"))
    columns = [column.name for column in table.shape.columns]
    extra = tuple(merge_column_edits(context.tokens, columns))
    return write(context, statement.target, operation=Operation.MERGE_INTO, extra=extra)
