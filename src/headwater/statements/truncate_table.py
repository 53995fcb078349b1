"""TRUNCATE TABLE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.drop import TruncateTable
from headwater.statements.context import Context
from headwater.tables.commits import commit
from headwater.tables.registration import register_table


def truncate_table(context: Context, statement: TruncateTable) -> Result:
    """Remove all rows of a table; older versions still have them."""
    name = context.qualify(statement.name)
    found = context.store.tables.get(name.workspace, name.schema, name.name)
    if found is None and statement.if_exists:
        return Result(message=f"there is no table {name}")
    table = context.writable_table(statement.name, statement="TRUNCATE TABLE")
    session = context.session
    with session.lock:
        spark, spark_table = session.spark(), register_table(context.lake, table)
        commit(
            context.lake,
            spark,
            table,
            operation=Operation.TRUNCATE,
            author=context.author,
            work=lambda: spark.execute(f"TRUNCATE TABLE {spark_table}"),
        )
    return Result(message=f"table {name} is empty")
