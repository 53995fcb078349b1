"""SHOW CREATE TABLE: the statement that makes a table or view like this one."""

from __future__ import annotations

from headwater.catalog.objects import Table, TableKind
from headwater.catalog.streams import StreamSource
from headwater.errors import UserError
from headwater.names import ObjectName, QualifiedName
from headwater.result import Result, string_columns
from headwater.sql.create_stream import CreateTableStream, CreateVolumeStream
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.cursor import Cursor
from headwater.sql.show import ShowCreateTable
from headwater.sql.types import parse_type
from headwater.sql.views import CreateView
from headwater.statements.context import Context
from headwater.statements.dynamic_details import create_text
from headwater.statements.property_text import visible_properties
from headwater.statements.stream_source import watched
from headwater.tables.layout_wish import clustering_of
from headwater.tables.versions import catch_up


def show_create_table(context: Context, statement: ShowCreateTable) -> Result:
    """One row, one column, one statement that can be run again."""
    table = catch_up(context.lake, context.table(statement.name))
    if table.kind is TableKind.KAFKA:
        text = table.view_text or ""
    elif table.kind is TableKind.STREAM:
        text = _stream(context, table)
    elif table.kind.is_refreshed:
        text = create_text(context, table)
    else:
        text = _view(table) if table.kind is TableKind.VIEW else _table(table)
    return Result.from_rows(string_columns("createtab_stmt"), [(text,)])


def _name(table: Table) -> ObjectName:
    return ObjectName(table.name, table.schema)


def _view(table: Table) -> str:
    columns = tuple((column.name, column.comment) for column in table.shape.columns)
    return CreateView(
        _name(table), table.view_text or "", columns=columns, comment=table.comment
    ).to_sql()


def _stream(context: Context, table: Table) -> str:
    stream = context.store.streams.by_id(table.id)
    source = watched(context, stream).name if stream is not None else None
    if stream is None or source is None:
        gone = QualifiedName(table.workspace, table.schema, table.name)
        raise UserError("STREAM_NOT_FOUND", name=gone)
    watches = ObjectName(source.name, source.schema)
    if stream.source is StreamSource.VOLUME:
        return CreateVolumeStream(_name(table), watches, comment=stream.comment).to_sql()
    return CreateTableStream(
        _name(table),
        watches,
        stream.mode.value,
        show_initial_rows=stream.show_initial_rows,
        comment=stream.comment,
    ).to_sql()


def _table(table: Table) -> str:
    shape, layout = table.shape, clustering_of(table.shape)
    columns = tuple(
        ColumnDefinition(c.name, _type(c.type), c.nullable, c.constraint, c.comment)
        for c in shape.columns
    )
    return CreateTable(
        _name(table),
        columns,
        partitioned_by=shape.partition_columns,
        clustered_by=layout.columns,
        sorted_by=layout.sorted_by,
        buckets=layout.buckets,
        comment=shape.comment,
        properties=tuple(visible_properties(shape.properties).items()),
        location=None if table.managed else table.location,
    ).to_sql()


def _type(text: str) -> str:
    """A type as CREATE TABLE writes it; field names inside keep their case."""
    try:
        return parse_type(Cursor(text))
    except UserError:
        # A field name that needs quotes stands without them in Spark's short text.
        return text
