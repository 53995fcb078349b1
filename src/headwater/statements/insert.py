"""INSERT INTO and INSERT OVERWRITE."""

from __future__ import annotations

from headwater.catalog.objects import Operation, Table, TableColumn
from headwater.errors import HeadwaterError, UserError
from headwater.names import counted
from headwater.result import Result
from headwater.sql.dml import Insert
from headwater.sql.insert_source import InsertSource, insert_source
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.writing import write, written_table

_JSON = "variant"


def insert(context: Context, statement: Insert) -> Result:
    """Add rows to a table, or replace them all."""
    operation = Operation.INSERT_OVERWRITE if statement.overwrite else Operation.INSERT_INTO
    table = written_table(context, statement.target, operation=operation)
    if any(column.type == _JSON for column in table.shape.columns):
        _refuse_text_as_json(context, table)
    try:
        return write(context, statement.target, operation=operation)
    except HeadwaterError as error:
        if error.condition != "DELTA_METADATA_MISMATCH":
            raise
        raise _counts_differ(context, table) or error from error.__cause__


def _refuse_text_as_json(context: Context, table: Table) -> None:
    """Spark would quietly store the text as one JSON string, not the document it spells."""
    source = insert_source(context.text, context.tokens)
    if source is None or not source.by_position:
        return
    given = _given(context, source)
    wanted = {column.name: column.type for column in table.shape.columns}
    names = source.columns or tuple(wanted)
    for name, column in zip(names, given, strict=False):
        if wanted.get(name) == _JSON and column.type == "string":
            raise UserError("TEXT_INTO_JSON", column=name, span=source.query)


def _counts_differ(context: Context, table: Table) -> UserError | None:
    """Delta says that the columns differ, but not how."""
    source = insert_source(context.text, context.tokens)
    if source is None or not source.by_position or source.columns is not None:
        return None
    given, has = len(_given(context, source)), len(table.shape.columns)
    if given == has:
        return None
    name = f"{table.schema}.{table.name}"
    hint = f"DESC {name}, then name the columns: INSERT INTO {name} (a, b) .."
    return UserError(
        "INSERT_COLUMN_COUNT",
        table=name,
        has=counted(has, "column"),
        given=counted(given, "value"),
        span=source.query,
        hint=hint,
    )


def _given(context: Context, source: InsertSource) -> tuple[TableColumn, ...]:
    session = context.session
    query = context.text[source.query.start : source.query.end]
    with session.lock, spark_text(context, query) as text:
        return session.spark().columns_of(text)
