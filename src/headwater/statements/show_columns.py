"""SHOW COLUMNS."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.show import ShowColumns
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.stream_source import with_columns

COLUMNS = string_columns("schema_name", "table_name", "column_name", "data_type", "comment")


def show_columns(context: Context, statement: ShowColumns) -> Result:
    """The columns of a table, view or stream."""
    table = with_columns(context, context.table(statement.table))
    rows = [
        (table.schema, table.name, column.name, column.type, column.comment or "")
        for column in table.shape.columns
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=2)
