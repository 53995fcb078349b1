"""What CREATE DYNAMIC TABLE comes to: the table below, what its query reads, its schedule.

Spark says which columns the query gives; nothing is run and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import DynamicTable, OwnColumn, RefreshMode, Schedule
from headwater.catalog.objects import Table, TableColumn, TableKind
from headwater.errors import Span, UserError
from headwater.names import QualifiedName
from headwater.sql.create_dynamic_table import CreateDynamicTable, DynamicColumn
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.edits import Edit
from headwater.sql.once_per_row import GivenColumn, without_given
from headwater.sql.properties import normalise_table_properties
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.context import Context
from headwater.statements.create_view import named
from headwater.statements.dynamic_query import columns_given, query_sources
from headwater.statements.dynamic_schedule import schedule_of
from headwater.statements.immutable_where import require_immutable
from headwater.statements.spark_text import spark_text
from headwater.statements.stream_query import (
    only_looking,
    require_clauses_of_changes,
    require_row_by_row,
    streams_of,
)
from headwater.statements.stream_source import with_columns


@dataclass(frozen=True, slots=True)
class Plan:
    """The table below, and what its query reads."""

    table: CreateTable
    columns: tuple[OwnColumn, ...]
    sources: tuple[Table, ...]
    schedule: Schedule | None


def plan_of(context: Context, statement: CreateDynamicTable, name: QualifiedName) -> Plan:
    """Look at the query and the clauses; what they may not be is refused."""
    properties = normalise_table_properties(statement.properties, dynamic=True)
    start = statement.query_span.start if statement.query_span is not None else 0
    given = columns_given(context, statement.query, start=start)
    sources = query_sources(
        context,
        name,
        statement.query,
        start=start,
        given=given,
        streams=statement.kind is RefreshedKind.DYNAMIC_TABLE,
    )
    with context.session.lock:
        looking, query = only_looking(context), (Edit(Span(0, start), ""),)
        with spark_text(looking, context.text, extra=query) as text:
            found = context.session.spark().definitions_of(text)
        schedule = schedule_of(context, statement, dict(properties).get("refresh_vc"))
    pairs = tuple((column.name, column.comment) for column in statement.columns)
    columns = named(tuple(column for column, _ in found), pairs, statement.name_span)
    definitions = tuple(definition for _, definition in found)
    _require_types(columns, definitions, statement.columns)
    kept = {column.name.lower() for column in given}
    # Values that rows are given come only when rows are written.
    require_immutable(context, statement, tuple(c for c in columns if c.name.lower() not in kept))
    table = CreateTable(
        statement.name,
        tuple(
            ColumnDefinition(column.name, definition, comment=column.comment)
            for column, definition in zip(columns, definitions, strict=True)
        ),
        partitioned_by=_known(columns, statement.partitioned_by, name),
        clustered_by=_known(columns, statement.clustered_by, name),
        sorted_by=_known(columns, statement.sorted_by, name),
        buckets=statement.buckets,
        comment=statement.comment,
        properties=properties,
    )
    own = tuple(
        OwnColumn(column.name, column.type, definition, column.comment)
        for column, definition in zip(columns, definitions, strict=True)
    )
    aliases = tuple(column.name for column, _ in found)
    if streams_of(sources):
        require_clauses_of_changes(statement, name)
        require_row_by_row(
            context,
            name,
            without_given(statement.query, [column.name for column in given]),
            tuple(alias for alias in aliases if alias.lower() not in kept),
            sources,
            span=statement.name_span,
        )
    read = tuple(_seen(context, source) for source in sources)
    return Plan(table, _with_given(own, aliases, given), read, schedule)


def _seen(context: Context, source: Table) -> Table:
    """A source with the columns that the query sees; those of a stream are nowhere stored."""
    return with_columns(context, source) if source.kind is TableKind.STREAM else source


def _with_given(
    columns: tuple[OwnColumn, ...], aliases: tuple[str, ...], given: tuple[GivenColumn, ...]
) -> tuple[OwnColumn, ...]:
    """The columns with the values that rows are given; a list of names may call them otherwise."""
    values = {column.name.lower(): column for column in given}
    return tuple(
        replace(column, given=values[alias.lower()].value, alias=alias)
        if alias.lower() in values
        else column
        for column, alias in zip(columns, aliases, strict=True)
    )


def _require_types(
    columns: tuple[TableColumn, ...],
    definitions: tuple[str, ...],
    declared: tuple[DynamicColumn, ...],
) -> None:
    for column, definition in zip(columns, definitions, strict=True):
        if "VOID" in definition.replace("<", " ").replace(",", " ").split():
            raise UserError("DYNAMIC_TABLE_COLUMN_VOID", column=column.name)
    for wanted, definition in zip(declared, definitions, strict=False):
        if wanted.type is not None and _bare(wanted.type) != _bare(definition):
            raise UserError(
                "DYNAMIC_TABLE_COLUMN_TYPE",
                column=wanted.name,
                declared=wanted.type,
                given=definition,
                span=wanted.span,
            )


def _bare(type_text: str) -> str:
    return type_text.replace(" ", "").replace("`", "").upper()


def _known(
    columns: Iterable[TableColumn], names: tuple[str, ...], table: QualifiedName
) -> tuple[str, ...]:
    """The names of columns as the query spells them."""
    known = {column.name.lower(): column.name for column in columns}
    for name in names:
        if name.lower() not in known:
            raise UserError("COLUMN_NOT_DEFINED", name=name, table=table)
    return tuple(known[name.lower()] for name in names)


def definition_from(
    context: Context, statement: CreateDynamicTable, table: Table, plan: Plan
) -> DynamicTable:
    """What the catalog keeps of the statement."""
    return DynamicTable(
        id=table.id,
        workspace=table.workspace,
        schema=table.schema,
        name=table.name,
        query=statement.query,
        query_workspace=context.session.workspace,
        query_schema=context.session.schema,
        mode=RefreshMode(statement.mode or RefreshMode.AUTO),
        schedule=plan.schedule,
        sources=tuple(source.id for source in plan.sources),
        source_columns={
            source.id: tuple(column.name for column in source.shape.columns)
            for source in plan.sources
        },
        columns=plan.columns,
        initialize=statement.initialize,
        immutable_where=statement.immutable_where,
        materialized_view=statement.kind is RefreshedKind.MATERIALIZED_VIEW,
        query_rewrite=statement.query_rewrite,
    )
