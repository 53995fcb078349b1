"""CREATE [OR REPLACE] TABLE, with columns, LIKE, AS SELECT, or over Delta files that exist."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from headwater.catalog.objects import Operation, Table, TableKind
from headwater.errors import NotSupported, Span, UserError
from headwater.names import QualifiedName, counted, quote_identifier, quote_literal
from headwater.result import Result
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.edits import Edit, EditedText, own_text
from headwater.sql.properties import normalise_table_properties, render_properties
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.stream_source import with_columns
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.commits import commit
from headwater.tables.create import attach, create, new_table
from headwater.tables.find import find_schema, name_taken
from headwater.tables.layout_wish import WITHOUT_EFFECT, as_property
from headwater.tables.properties import delta_properties
from headwater.tables.registration import register_database, register_table, spark_name

_SPECIAL = re.compile(r"[ ,;{}()\n\t=]")
_SPECIAL_FIELD = re.compile(r"`[^`]*[ ,;{}()\n\t=][^`]*`")


def create_table(context: Context, statement: CreateTable) -> Result:
    """Make a table, or replace one."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "table", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    statement = _complete(context, statement)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is not None and statement.if_not_exists:
        return Result(message=f"{existing.kind.words.lower()} {name} exists already")
    if existing is not None and existing.kind is not TableKind.TABLE:
        hint = f"DROP {existing.kind.words} {name}"
        raise name_taken(existing, span=statement.name_span, hint=hint)
    if existing is not None and not statement.or_replace:
        raise name_taken(existing, span=statement.name_span)
    if existing is not None:
        return _replace(context, statement, existing)
    if not statement.columns and statement.query is None:
        return _attach(context, statement, name)
    return _create(context, statement, name)


def _complete(context: Context, statement: CreateTable) -> CreateTable:
    """The statement with its properties checked and the columns of LIKE filled in."""
    properties = normalise_table_properties(statement.properties)
    statement = replace(statement, properties=properties)
    _require_sorted_columns(statement)
    if statement.like is None:
        return statement
    model = with_columns(context, context.table(statement.like))
    columns = tuple(
        ColumnDefinition(c.name, c.type, c.nullable, c.constraint, c.comment)
        for c in model.shape.columns
    )
    return replace(
        statement,
        columns=columns,
        partitioned_by=statement.partitioned_by or model.shape.partition_columns,
        clustered_by=statement.clustered_by or model.shape.cluster_columns,
        comment=statement.comment if statement.comment is not None else model.comment,
    )


def _require_sorted_columns(statement: CreateTable) -> None:
    known = {column.name.lower() for column in statement.columns}
    for name in statement.sorted_by if known else ():
        if name.lower() not in known:
            raise UserError("COLUMN_NOT_DEFINED", name=name, table=statement.name)


def _create(context: Context, statement: CreateTable, name: QualifiedName) -> Result:
    location = _external_location(statement)
    table = new_table(context.lake, name, author=context.author, location=location)
    operation = Operation.CREATE if statement.query is None else Operation.CREATE_TABLE_AS
    session = context.session
    with session.lock:
        spark = session.spark()
        register_database(context.lake, name.workspace, name.schema)
        with _ready(context, statement, table, verb="CREATE TABLE") as text:
            made = create(
                context.lake,
                spark,
                table,
                operation=operation,
                author=context.author,
                work=lambda: spark.command(text),
            )
    return _done(statement, f"table {name} created", made)


def _replace(context: Context, statement: CreateTable, existing: Table) -> Result:
    if statement.location is not None and statement.location != existing.location:
        raise UserError("LOCATION_CANNOT_CHANGE", table=statement.name)
    operation = Operation.REPLACE if statement.query is None else Operation.REPLACE_TABLE_AS
    session = context.session
    with session.lock:
        spark = session.spark()
        register_table(context.lake, existing)
        with _ready(context, statement, existing, verb="CREATE OR REPLACE TABLE") as text:
            done = commit(
                context.lake,
                spark,
                existing,
                operation=operation,
                author=context.author,
                work=lambda: spark.command(text),
            )
    return _done(statement, f"table {context.qualify(statement.name)} replaced", done.table)


def _done(statement: CreateTable, message: str, table: Table) -> Result:
    note = f"; {WITHOUT_EFFECT}" if as_property(statement.clustering) else ""
    if statement.query is None:
        return Result(message=message + note)
    rows = table.shape.totals.rows or 0
    return Result(rowcount=rows, message=f"{message} with {counted(rows, 'row')}{note}")


def _ready(
    context: Context, statement: CreateTable, table: Table, *, verb: str
) -> AbstractContextManager[EditedText]:
    """The Spark text: everything before the query made anew, the query as typed."""
    head = table_head(context, statement, table, verb=verb)
    if statement.query is None or statement.query_span is None:
        return nullcontext(own_text(head))
    before_query = Edit(Span(0, statement.query_span.start), f"{head} AS ")
    return spark_text(context, context.text, extra=(before_query,))


def table_head(context: Context, statement: CreateTable, table: Table, *, verb: str) -> str:
    """The text for Spark that makes a table, up to its query."""
    parts = [f"{verb} {spark_name(context.lake, table)}"]
    if statement.columns:
        parts.append("(" + ", ".join(column.to_sql() for column in statement.columns) + ")")
    parts.append("USING delta")
    if statement.partitioned_by:
        parts.append(f"PARTITIONED BY ({_names(statement.partitioned_by)})")
    if statement.clustered_by:
        parts.append(f"CLUSTER BY ({_names(statement.clustered_by)})")
    if statement.comment is not None:
        parts.append(f"COMMENT {quote_literal(statement.comment)}")
    parts.append(f"LOCATION {quote_literal(context.lake.location(table))}")
    lake_days = context.lake.config.data_retention_days
    properties = delta_properties(statement.properties, lake_days=lake_days)
    properties |= as_property(statement.clustering)
    if any(column.constraint.upper().startswith("DEFAULT") for column in statement.columns):
        properties["delta.feature.allowColumnDefaults"] = "supported"
    if any(_SPECIAL.search(c.name) or _SPECIAL_FIELD.search(c.type) for c in statement.columns):
        # Parquet cannot have such a name in its files; column mapping keeps another one there.
        properties.setdefault("delta.columnMapping.mode", "name")
    if properties:
        parts.append(f"TBLPROPERTIES ({render_properties(tuple(properties.items()))})")
    return " ".join(parts)


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(quote_identifier(name) for name in names)


def _external_location(statement: CreateTable) -> str | None:
    if statement.location is None:
        return None
    scheme, separator, _ = statement.location.partition("://")
    if separator and scheme.lower() != "file":
        raise NotSupported("LOCATION_SCHEME", location=statement.location, scheme=scheme)
    if not separator and not Path(statement.location).is_absolute():
        raise UserError("LOCATION_NOT_ABSOLUTE", location=statement.location)
    return statement.location


def _attach(context: Context, statement: CreateTable, name: QualifiedName) -> Result:
    """`CREATE TABLE t LOCATION '..'` without columns: take over a Delta table that exists."""
    location = _external_location(statement)
    if location is None or not context.lake.places.folder(location).log.list_commits():
        raise UserError("NO_DELTA_TABLE_AT", location=location)
    table = new_table(context.lake, name, author=context.author, location=location)
    attached = attach(context.lake, table)
    rows = attached.shape.totals.rows
    known = "" if rows is None else f" with {counted(rows, 'row')}"
    return Result(message=f"table {name} attached{known}")
