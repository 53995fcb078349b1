"""MERGE INTO."""

from __future__ import annotations

from headwater.catalog.objects import Operation, Table
from headwater.errors import UserError
from headwater.names import did_you_mean
from headwater.result import Result
from headwater.sql.dml import Merge
from headwater.sql.merge_columns import merge_column_edits, written_columns
from headwater.sql.merge_source import merge_source_edits
from headwater.statements.context import Context
from headwater.statements.stream_relations import reads_stream
from headwater.statements.writing import write
from headwater.tables.versions import catch_up


def merge(context: Context, statement: Merge) -> Result:
    """Insert, update and delete rows by matching a source."""
    table = catch_up(context.lake, context.writable_table(statement.target, statement="MERGE INTO"))
    columns = [column.name for column in table.shape.columns]
    _require_columns(context, table)
    extra = tuple(merge_column_edits(context.tokens, columns))
    if reads_stream(context, context.text):
        extra += merge_source_edits(context.text, context.tokens, columns)
    return write(context, statement.target, operation=Operation.MERGE_INTO, extra=extra)


def _require_columns(context: Context, table: Table) -> None:
    """Delta does not say which column is missing; with schema evolution none has to be there."""
    if context.tokens[1].upper == "WITH":
        return
    known = {column.name.lower(): column.name for column in table.shape.columns}
    for token in written_columns(context.tokens):
        if token.value.lower() not in known:
            name = f"{table.schema}.{table.name}"
            hint = did_you_mean(token.value, known.values()) or f"DESC {name}"
            raise UserError(
                "TABLE_COLUMN_NOT_FOUND",
                table=name,
                column=token.value,
                span=token.span,
                hint=hint,
            )
