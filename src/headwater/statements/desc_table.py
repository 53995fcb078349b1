"""DESC [EXTENDED] of a table, view, stream or dynamic table."""

from __future__ import annotations

from headwater.catalog.objects import Table, TableKind
from headwater.result import Result, Row, string_columns
from headwater.sql.describe import DescTable
from headwater.statements.context import Context
from headwater.statements.dynamic_details import dynamic_details
from headwater.statements.info_rows import info_rows
from headwater.statements.information_schema import (
    information_schema_columns,
)
from headwater.statements.property_text import shown_properties
from headwater.statements.stream_source import with_columns
from headwater.tables.find import INFORMATION_SCHEMA

COLUMNS = string_columns("column_name", "data_type", "comment")


def desc_table(context: Context, statement: DescTable) -> Result:
    """The columns; with EXTENDED also everything else that is known."""
    if statement.name.schema == INFORMATION_SCHEMA:
        known = information_schema_columns(statement.name, context.span_of(statement.name))
        return Result.from_rows(COLUMNS, [(column.name, column.type, "") for column in known])
    table = with_columns(context, context.table(statement.name))
    rows: list[Row] = [(c.name, c.type, c.comment or "") for c in table.shape.columns]
    if statement.extended:
        rows += _details(context, table)
    return Result.from_rows(COLUMNS, rows)


def _details(context: Context, table: Table) -> list[Row]:
    shape = table.shape
    known = info_rows(
        workspace=table.workspace,
        schema=table.schema,
        name=table.name,
        creator=table.creator,
        created_time=context.session.local(table.created_at),
        last_modified_time=context.session.local(table.modified_at),
        comment=table.comment,
        properties=shown_properties(shape.properties),
        type=_type(table),
    )
    if table.kind is TableKind.STREAM:
        known += info_rows(details=f"DESC TABLE STREAM {table.schema}.{table.name}")
    elif table.kind is TableKind.VIEW:
        known += info_rows(view_text=table.view_text)
    elif table.kind is TableKind.KAFKA:
        known += info_rows(format="KAFKA", connection=table.location)
    else:
        if table.kind.is_refreshed:
            known += dynamic_details(context, table)
        known += info_rows(
            partitioned_by=", ".join(shape.partition_columns),
            clustered_by=", ".join(shape.cluster_columns),
            format="DELTA",
            location=context.lake.location(table),
            statistics=f"{shape.totals.rows} rows {shape.totals.bytes} bytes",
        )
    details: list[Row] = [(name, value or "", "") for name, value in known]
    return [("", "", ""), ("# detailed table information", "", ""), *details]


def _type(table: Table) -> str:
    if table.kind in (TableKind.VIEW, TableKind.STREAM) or table.kind.is_refreshed:
        return table.kind.words
    return "MANAGED TABLE" if table.managed else "EXTERNAL TABLE"
