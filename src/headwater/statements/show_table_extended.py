"""SHOW TABLE EXTENDED: tables and views with all that Spark's tools ask of them, in one text each.

Invariant: a line of the text has nothing in it that a user wrote but names and types, so no comment
or query can pass for a line.
"""

from __future__ import annotations

import re

from headwater.catalog.objects import Table, TableKind
from headwater.result import Column, Result
from headwater.sql.like import Matcher, like_matcher
from headwater.sql.privileges import Securable
from headwater.sql.show_table_extended import ShowTableExtended
from headwater.statements.context import Context
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen
from headwater.tables.versions import catch_up

COLUMNS = (
    Column("namespace", "string"),
    Column("tableName", "string"),
    Column("isTemporary", "boolean"),
    Column("information", "string"),
)


def show_table_extended(context: Context, statement: ShowTableExtended) -> Result:
    """The tables and views of a schema whose names match."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    matches = _matcher(statement.pattern)
    rows = [
        (table.schema, table.name, False, _information(context, catch_up(context.lake, table)))
        for table in context.store.tables.list(workspace, schema)
        if table.kind is not TableKind.STREAM
        and matches(table.name)
        and sees(table.schema, table.name)
    ]
    return Result.from_rows(COLUMNS, sorted(rows))


def _matcher(pattern: str) -> Matcher:
    """Spark's patterns; `%` is in no name and means what it means in every other SHOW."""
    choices = [
        like_matcher(re.sub(r"([_\\])", r"\\\1", choice.strip()).replace("*", "%"))
        for choice in pattern.split("|")
    ]
    return lambda name: any(matches(name) for matches in choices)


def _information(context: Context, table: Table) -> str:
    shape = table.shape
    lines = {
        "Database": table.schema,
        "Table": table.name,
        "Owner": table.creator,
        "Created Time": str(context.session.local(table.created_at)),
        "Last Modified": str(context.session.local(table.modified_at)),
        "Type": _type(table),
    }
    if table.kind is TableKind.TABLE:
        # Not of a dynamic table: tools take it as leave to write to the table, or to replace it.
        lines["Provider"] = "delta"
    if shape.totals.bytes is not None and shape.totals.rows is not None:
        lines["Statistics"] = f"{shape.totals.bytes} bytes, {shape.totals.rows} rows"
    if shape.partition_columns:
        lines["Partition Columns"] = ", ".join(shape.partition_columns)
    text = "".join(f"{name}: {value}\n" for name, value in lines.items())
    columns = (
        f" |-- {column.name}: {column.type} (nullable = {str(column.nullable).lower()})\n"
        for column in shape.columns
    )
    return f"{text}Schema: root\n{''.join(columns)}"


def _type(table: Table) -> str:
    if table.kind is TableKind.VIEW or table.kind.is_refreshed:
        return table.kind.words
    return "MANAGED" if table.managed else "EXTERNAL"
