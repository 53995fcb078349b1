"""SHOW PRELOAD CACHED STATUS: nothing is loaded beforehand, so there is never a row."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.vclusters import ShowPreloadStatus
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.find_vcluster import require_vcluster

COLUMNS = (
    Column("vcluster_name", "string"),
    Column("schema_name", "string"),
    Column("table_name", "string"),
    Column("status", "string"),
    Column("cached_bytes", "bigint"),
    Column("total_bytes", "bigint"),
    Column("last_preload_time", "timestamp"),
)


def show_preload_status(context: Context, statement: ShowPreloadStatus) -> Result:
    """No rows, in columns that could hold some."""
    require_vcluster(context, statement.name)
    return filtered(context, COLUMNS, [], statement.filter, like_column=2)
