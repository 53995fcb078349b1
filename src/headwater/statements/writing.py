"""What INSERT, UPDATE, DELETE and MERGE share: Spark runs the text, the commit is recorded."""

from __future__ import annotations

from headwater.catalog.objects import Operation, Table
from headwater.errors import UserError
from headwater.names import ObjectName, counted
from headwater.result import Result
from headwater.sql.edits import Edit
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.tables.commits import commit


def write(
    context: Context, target: ObjectName, *, operation: Operation, extra: tuple[Edit, ...] = ()
) -> Result:
    """Run the statement's own text, which writes `target`."""
    table = written_table(context, target, operation=operation)
    session = context.session
    with session.lock, spark_text(context, context.text, extra=extra) as text:
        spark = session.spark()
        done = commit(
            context.lake,
            spark,
            table,
            operation=operation,
            author=context.author,
            work=lambda: spark.command(text),
        )
    rows = done.version.rows_changed if done.version is not None else 0
    return Result(rowcount=rows, message=message_of(done.table, operation, rows))


def written_table(context: Context, target: ObjectName, *, operation: Operation) -> Table:
    """The table of that name; a view or a dynamic table cannot be written to."""
    statement = operation.value.replace("_", " ")
    if target.schema is None and target.name in context.session.temporary_views:
        span = context.span_of(target)
        raise UserError("NOT_A_TABLE", name=target, kind="a view", statement=statement, span=span)
    return context.writable_table(target, statement=statement)


_VERBS = {
    Operation.INSERT_INTO: "inserted into",
    Operation.INSERT_OVERWRITE: "written over",
    Operation.COPY_INTO: "loaded into",
    Operation.COPY_OVERWRITE: "loaded over",
    Operation.UPDATE: "updated in",
    Operation.DELETE: "deleted from",
    Operation.MERGE_INTO: "merged into",
}


def message_of(table: Table, operation: Operation, rows: int) -> str:
    """What a statement that wrote rows says."""
    return f"{counted(rows, 'row')} {_VERBS[operation]} {table.schema}.{table.name}"
