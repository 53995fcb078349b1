"""CREATE [OR REPLACE] DYNAMIC TABLE: the query is checked and kept, the table is made empty.

Invariant: a new query leaves the rows alone until the next refresh, unless its columns differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import DynamicTable, RefreshMode, Schedule
from headwater.catalog.objects import Operation, Table, TableColumn, TableKind
from headwater.errors import Span, UserError
from headwater.names import QualifiedName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.alter_table import ChangeColumn, ClusterBy
from headwater.sql.create_dynamic_table import CreateDynamicTable, DynamicColumn
from headwater.sql.create_table import ColumnDefinition, CreateTable
from headwater.sql.edits import Edit, own_text
from headwater.sql.properties import normalise_table_properties
from headwater.sql.refresh_clause import RefreshClause
from headwater.statements.context import Context
from headwater.statements.create_table import table_head
from headwater.statements.create_view import named
from headwater.statements.dynamic_query import query_sources
from headwater.statements.prospects import require_incremental
from headwater.statements.spark_text import spark_text
from headwater.statements.time_travel import moment_of
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.alter import alter, alter_step, comment_step, property_steps
from headwater.tables.commits import commit
from headwater.tables.create import create, new_table
from headwater.tables.find import find_schema, name_taken
from headwater.tables.registration import register_database, register_table
from headwater.tables.versions import catch_up


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the statement comes to: the table below, and what its query reads."""

    table: CreateTable
    columns: tuple[TableColumn, ...]
    sources: tuple[Table, ...]
    schedule: Schedule | None


def create_dynamic_table(context: Context, statement: CreateDynamicTable) -> Result:
    """Make a dynamic table, or give one a new query."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "dynamic table", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is not None and statement.if_not_exists:
        return Result(message=f"{existing.kind.words.lower()} {name} exists already")
    if existing is not None and not (statement.or_replace and existing.kind is TableKind.DYNAMIC):
        raise name_taken(existing, span=statement.name_span, hint=_instead(existing, name))
    plan = _plan(context, statement, name)
    if statement.mode == RefreshMode.STRICT:
        require_incremental(context, name, statement.query, statement.query_span)
    context.lake.writer.ensure()
    if existing is None:
        _create(context, statement, name, plan)
        return Result(
            message=f"dynamic table {name} created; REFRESH DYNAMIC TABLE {name} fills it"
        )
    note = _replace(context, statement, existing, plan)
    return Result(message=f"dynamic table {name} replaced; {note}")


def _instead(existing: Table, name: QualifiedName) -> str:
    if existing.kind is TableKind.DYNAMIC:
        return f"CREATE OR REPLACE DYNAMIC TABLE {name} .."
    return f"DROP {existing.kind.words} {name}"


def _plan(context: Context, statement: CreateDynamicTable, name: QualifiedName) -> _Plan:
    properties = normalise_table_properties(statement.properties, dynamic=True)
    start = statement.query_span.start if statement.query_span is not None else 0
    sources = query_sources(context, name, statement.query, start=start)
    with context.session.lock:
        with spark_text(context, context.text, extra=(Edit(Span(0, start), ""),)) as text:
            found = context.session.spark().definitions_of(text)
        schedule = _schedule(context, statement.refresh, dict(properties).get("refresh_vc"))
    pairs = tuple((column.name, column.comment) for column in statement.columns)
    columns = named(tuple(column for column, _ in found), pairs, statement.name_span)
    definitions = tuple(definition for _, definition in found)
    _require_types(columns, definitions, statement.columns)
    table = CreateTable(
        statement.name,
        tuple(
            ColumnDefinition(column.name, definition, comment=column.comment)
            for column, definition in zip(columns, definitions, strict=True)
        ),
        partitioned_by=_known(columns, statement.partitioned_by, name),
        clustered_by=_known(columns, statement.clustered_by, name),
        comment=statement.comment,
        properties=properties,
    )
    return _Plan(table, columns, sources, schedule)


def _schedule(
    context: Context, clause: RefreshClause | None, cluster: str | None
) -> Schedule | None:
    """The clause with its moment; older statements name the `cluster` by a property."""
    if clause is None:
        return None
    start = now()
    if clause.start is not None:
        start = moment_of(context, clause.start, clause.start_span)
    vcluster = clause.vcluster or (cluster.upper() if cluster is not None else None)
    return Schedule(clause.start, start, clause.interval_seconds, vcluster)


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


def _definition(
    context: Context, statement: CreateDynamicTable, table: Table, plan: _Plan
) -> DynamicTable:
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
    )


def _create(
    context: Context, statement: CreateDynamicTable, name: QualifiedName, plan: _Plan
) -> None:
    lake, session = context.lake, context.session
    plain = new_table(lake, name, author=context.author)
    table = replace(plain, kind=TableKind.DYNAMIC)
    definition = _definition(context, statement, table, plan)
    with session.lock:
        spark = session.spark()
        register_database(lake, name.workspace, name.schema)
        text = own_text(table_head(context, plan.table, table, verb="CREATE TABLE"))
        create(
            lake,
            spark,
            table,
            operation=Operation.CREATE,
            author=context.author,
            work=lambda: spark.command(text),
            begin=lambda made: lake.store.dynamic_tables.begin_create(made, definition),
        )


def _replace(context: Context, statement: CreateDynamicTable, existing: Table, plan: _Plan) -> str:
    """Give the table its new query; gives back what becomes of its rows."""
    lake, session, store = context.lake, context.session, context.store
    table = catch_up(lake, existing)
    old = store.dynamic_tables.by_id(table.id)
    definition = _definition(context, statement, table, plan)
    definition = replace(definition, suspended=old.suspended if old is not None else False)
    fits = _fits(table, plan)
    with session.lock, lake.locks.hold(table.id):
        spark = session.spark()
        if fits:
            steps = _steps(table, plan, lake_days=lake.config.data_retention_days)
            if steps:
                alter(lake, spark, table, steps=steps, author=context.author)
        else:
            register_table(lake, table)
            head = table_head(context, plan.table, table, verb="CREATE OR REPLACE TABLE")
            commit(
                lake,
                spark,
                table,
                operation=Operation.REPLACE,
                author=context.author,
                work=lambda: spark.command(own_text(head)),
            )
        store.dynamic_tables.replace(definition, emptied=not fits)
    return "its rows stay until the next refresh" if fits else "its columns differ, so it is empty"


def _fits(table: Table, plan: _Plan) -> bool:
    """Whether the table can stay as it is: same columns, laid out the same way."""
    before = [(column.name, column.type) for column in table.shape.columns]
    after = [(column.name, column.type) for column in plan.columns]
    return before == after and table.shape.partition_columns == plan.table.partitioned_by


def _steps(table: Table, plan: _Plan, *, lake_days: int) -> list[str]:
    """What a statement that keeps the rows changes besides the query."""
    wanted, shape = plan.table, table.shape
    steps: list[str] = []
    for before, after in zip(shape.columns, plan.table.columns, strict=True):
        if (after.comment or "") != (before.comment or ""):
            change = ChangeColumn((after.name,), comment=after.comment or "")
            steps.append(alter_step(change.to_sql()))
    if wanted.clustered_by != shape.cluster_columns:
        steps.append(alter_step(ClusterBy(wanted.clustered_by).to_sql()))
    if (wanted.comment or "") != (shape.comment or ""):
        steps.append(comment_step(wanted.comment or ""))
    new = tuple((k, v) for k, v in wanted.properties if shape.properties.get(k) != v)
    return [*steps, *property_steps(table, new, lake_days=lake_days)]
