"""SHOW PARTITIONS [EXTENDED]: from the table's log, without Spark."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Column, Result, Row, string_columns
from headwater.sql.show import ShowPartitions
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.tables.partition_facts import PartitionFacts, partition_facts
from headwater.tables.versions import catch_up

COLUMNS = string_columns("partitions")
EXTENDED = (
    *COLUMNS,
    Column("total_rows", "bigint"),
    Column("bytes", "bigint"),
    Column("total_files", "bigint"),
    Column("created_time", "timestamp"),
    Column("last_modified_time", "timestamp"),
    Column("last_data_time", "timestamp"),
    Column("last_compaction_time", "timestamp"),
)


def show_partitions(context: Context, statement: ShowPartitions) -> Result:
    """The partitions of a table that has some."""
    named = context.base_table(statement.table, statement="SHOW PARTITIONS")
    table = catch_up(context.lake, named)
    columns = table.shape.partition_columns
    if not columns:
        span = context.span_of(statement.table)
        raise UserError("NOT_PARTITIONED", table=f"{table.schema}.{table.name}", span=span)
    log = context.lake.log_files(table)
    facts = partition_facts(log, table.shape.delta_version, columns)
    if not statement.extended:
        rows: list[Row] = [(one.name,) for one in facts]
        return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
    rows = [_row(context, one) for one in facts]
    return filtered(context, EXTENDED, rows, statement.filter, like_column=0)


def _row(context: Context, facts: PartitionFacts) -> Row:
    local = context.session.local
    return (
        facts.name,
        facts.rows,
        facts.bytes,
        facts.files,
        local(facts.created_at),
        local(facts.modified_at),
        local(facts.data_at),
        local(facts.compacted_at),
    )
