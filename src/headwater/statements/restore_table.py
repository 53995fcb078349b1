"""RESTORE TABLE: an older version becomes the newest one; nothing in between is lost."""

from __future__ import annotations

from headwater.catalog.objects import Operation, Table, TableKind, TableVersion
from headwater.errors import NotSupported
from headwater.result import Result
from headwater.sql.history import RestoreTable
from headwater.statements.context import Context
from headwater.statements.time_travel import version_by_time, version_number
from headwater.tables.commits import commit
from headwater.tables.registration import register_table


def restore_table(context: Context, statement: RestoreTable) -> Result:
    """Give a table the contents it had."""
    table = context.base_table(statement.name, statement="RESTORE TABLE")
    if table.kind is TableKind.MATERIALIZED_VIEW:
        name, span = context.qualify(statement.name), context.span_of(statement.name)
        raise NotSupported("MATERIALIZED_VIEW_RESTORED", view=name, span=span)
    session = context.session
    with session.lock:
        spark, spark_table = session.spark(), register_table(context.lake, table)
        wanted = _version(context, statement, table)
        sql = f"RESTORE TABLE {spark_table} TO VERSION AS OF {wanted.delta_version}"
        commit(
            context.lake,
            spark,
            table,
            operation=Operation.RESTORE,
            author=context.author,
            work=lambda: spark.execute(sql),
        )
    name = context.qualify(statement.name)
    return Result(message=f"table {name} restored to version {wanted.version}")


def _version(context: Context, statement: RestoreTable, table: Table) -> TableVersion:
    if statement.version is not None:
        return version_number(context, table, str(statement.version), span=None)
    expression = statement.timestamp or ""
    return version_by_time(context, table, expression, span=statement.timestamp_span)
