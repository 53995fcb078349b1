"""The table of a dynamic table gets the columns of its query; rows that fit stay.

The definition is stored first, so that it never speaks of other columns than those that are to
be. If the process dies before they are, the next refresh brings them.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.dynamic_tables import DynamicTable, OwnColumn
from headwater.catalog.objects import Operation, Table
from headwater.names import ObjectName
from headwater.refresh.replacing import anew
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.edits import own_text
from headwater.statements.context import Context
from headwater.statements.create_table import table_head
from headwater.statements.property_text import visible_properties
from headwater.tables.alter import alter
from headwater.tables.column_steps import added_columns, column_steps, why_not
from headwater.tables.commits import commit
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up


def reshaped(context: Context, dynamic: DynamicTable) -> DynamicTable:
    """The dynamic table, after its table got the columns it is to have; most have them already.

    OR REPLACE may have died on its way, and RESTORE may have brought back older columns. Rows that
    lack a column are no answer, so then the next refresh is a full one.
    """
    found = context.store.tables.get_by_id(dynamic.id)
    assert found is not None
    table = catch_up(context.lake, found)
    if dynamic.columns is None or same_columns(table, dynamic.columns):
        return dynamic
    current = context.store.dynamic_tables.by_id(dynamic.id) or dynamic
    lacks = added_columns(table.shape, dynamic.columns) or why_not(table.shape, dynamic.columns)
    if current.frontier is not None and lacks:
        frontier = anew(current.frontier, "its columns were others")
        context.store.dynamic_tables.replace(current, frontier=frontier)
        current = replace(current, frontier=frontier)
    with context.session.lock, context.lake.locks.hold(table.id):
        if why_not(table.shape, dynamic.columns) is None:
            before, after = column_steps(table.shape, dynamic.columns)
            alter_table(context, table, [*before, *after])
        else:
            replace_table(context, table, _statement(table, dynamic.columns))
    return current


def same_columns(table: Table, wanted: tuple[OwnColumn, ...]) -> bool:
    """Whether the table has these columns, in this order."""
    there = [(column.name.lower(), column.type) for column in table.shape.columns]
    return there == [(column.name.lower(), column.type) for column in wanted]


def alter_table(context: Context, table: Table, steps: list[str]) -> None:
    """Carry out steps, if there are any, as one version."""
    if steps:
        spark = context.session.spark()
        alter(context.lake, spark, table, steps=steps, author=context.author)


def replace_table(context: Context, table: Table, statement: CreateTable) -> None:
    """Make the table anew in its place: its versions stay, its rows go."""
    lake, spark = context.lake, context.session.spark()
    register_table(lake, table)
    head = table_head(context, statement, table, verb="CREATE OR REPLACE TABLE")
    commit(
        lake,
        spark,
        table,
        operation=Operation.REPLACE,
        author=context.author,
        work=lambda: spark.command(own_text(head)),
    )


def _statement(table: Table, columns: tuple[OwnColumn, ...]) -> CreateTable:
    names, shape = {column.name.lower() for column in columns}, table.shape
    return CreateTable(
        ObjectName(table.name, table.schema),
        tuple(ColumnDefinition(c.name, c.definition, comment=c.comment) for c in columns),
        partitioned_by=tuple(n for n in shape.partition_columns if n.lower() in names),
        clustered_by=tuple(n for n in shape.cluster_columns if n.lower() in names),
        comment=shape.comment,
        properties=tuple(visible_properties(shape.properties).items()),
    )
