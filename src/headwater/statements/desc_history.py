"""DESC HISTORY: the versions of a table, newest first; of a dynamic one with what made them."""

from __future__ import annotations

from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Table, TableVersion
from headwater.cell_text import cell
from headwater.result import Column, Result, Row
from headwater.sql.history import DescHistory
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.tables.versions import catch_up, refresh_mark

COLUMNS = (
    Column("version", "bigint"),
    Column("time", "timestamp"),
    Column("total_rows", "bigint"),
    Column("total_bytes", "bigint"),
    Column("user", "string"),
    Column("operation", "string"),
    Column("job_id", "string"),
)
DYNAMIC_COLUMNS = (
    *COLUMNS,
    Column("source_tables", "array<map<string,string>>"),
    Column("stats", "map<string,string>"),
)


def desc_history(context: Context, statement: DescHistory) -> Result:
    """Who did what to a table, and how large it was afterwards."""
    table = catch_up(context.lake, context.base_table(statement.name, statement="DESC HISTORY"))
    dynamic = table.kind.is_refreshed
    rows = [
        (*_row(context, version), *(_made_of(context, table, version) if dynamic else ()))
        for version in context.store.versions.list(table.id)
    ]
    columns = DYNAMIC_COLUMNS if dynamic else COLUMNS
    return filtered(context, columns, rows, statement.filter, like_column=5)


def _row(context: Context, version: TableVersion) -> Row:
    return (
        version.version,
        context.session.local(version.committed_at),
        version.totals.rows,
        version.totals.bytes,
        version.user,
        version.operation,
        version.job_id,
    )


def _made_of(context: Context, table: Table, version: TableVersion) -> Row:
    """The sources and the counts of a refresh, as its commit names them; else nothing."""
    mark = refresh_mark(context.lake, table, version)
    if mark is None:
        return None, None
    stats = {
        "rows_deleted": str(version.rows_deleted or 0),
        "rows_inserted": str(version.rows_inserted or 0),
    }
    return _sources(context, mark), stats


def _sources(context: Context, mark: RefreshMark) -> list[dict[str, str]]:
    """Each source at the version that was read; `sequence` is the version of its Delta log."""
    found = []
    for table_id, delta_version in mark.frontier.sources.items():
        source = context.store.tables.get_by_id(table_id)
        if source is None:
            continue
        at = context.store.versions.at_delta(table_id, delta_version)
        found.append(
            {
                "table_name": source.name,
                "workspace": source.workspace,
                "schema": source.schema,
                "version": "" if at is None else str(at.version),
                "sequence": str(delta_version),
                "commit_time": "" if at is None else cell(context.session.local(at.committed_at)),
            }
        )
    return found
