"""DESC HISTORY: the versions of a table, newest first."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.history import DescHistory
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.tables.versions import catch_up

COLUMNS = (
    Column("version", "bigint"),
    Column("time", "timestamp"),
    Column("total_rows", "bigint"),
    Column("total_bytes", "bigint"),
    Column("user", "string"),
    Column("operation", "string"),
    Column("job_id", "string"),
)


def desc_history(context: Context, statement: DescHistory) -> Result:
    """Who did what to a table, and how large it was afterwards."""
    table = catch_up(context.lake, context.base_table(statement.name, statement="DESC HISTORY"))
    rows = [
        (
            version.version,
            context.session.local(version.committed_at),
            version.totals.rows,
            version.totals.bytes,
            version.user,
            version.operation,
            version.job_id,
        )
        for version in context.store.versions.list(table.id)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=5)
