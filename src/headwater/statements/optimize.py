"""OPTIMIZE: small files become large ones; no row changes."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.errors import UserError
from headwater.result import Result, string_columns
from headwater.sql.history import Optimize
from headwater.statements.context import Context
from headwater.tables.commits import commit
from headwater.tables.registration import register_table
from headwater.upkeep.facts import is_general


def optimize(context: Context, statement: Optimize) -> Result:
    """Compact a table, now and in this session; gives back the id of the job."""
    table = context.base_table(statement.name, statement="OPTIMIZE")
    session = context.session
    if not is_general(context.lake, session.workspace, session.vcluster):
        raise UserError("OPTIMIZE_CLUSTER", vcluster=session.vcluster)
    with session.lock:
        spark, spark_table = session.spark(), register_table(context.lake, table)
        where = f" WHERE {statement.where}" if statement.where is not None else ""
        commit(
            context.lake,
            spark,
            table,
            operation=Operation.COMPACTION,
            author=context.author,
            work=lambda: spark.execute(f"OPTIMIZE {spark_table}{where}"),
        )
    return Result.from_rows(string_columns("job_id"), [(context.job_id,)])
