"""CREATE OR REPLACE of a dynamic table that is there: another query, the same table.

Invariant: rows, streams and history stay. The definition is stored first and says what the rows are
worth; then the table gets its columns. What fails puts the old definition back, and what dies is
finished by the next refresh.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.dynamic_tables import DynamicTable, Frontier, OwnColumn
from headwater.catalog.objects import Table
from headwater.errors import HeadwaterError, UserError
from headwater.refresh.definition import define
from headwater.refresh.given import own_names, rows_query
from headwater.refresh.problems import LACKING
from headwater.refresh.replacing import CHECK, Asked, anew, carry_over
from headwater.runtime.failpoints import reach
from headwater.sql.alter_table import ChangeColumn, ClusterBy
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.properties import render_properties
from headwater.sql.session_configs import given_parameters
from headwater.statements.adding_changes import OF_CHANGES
from headwater.statements.context import Context
from headwater.statements.dynamic_plan import Plan, definition_from
from headwater.statements.refreshing import definition_of
from headwater.statements.reshaping import alter_table, replace_table
from headwater.statements.stream_query import streams_of
from headwater.tables.alter import alter_step, comment_step, property_steps
from headwater.tables.column_steps import column_steps, why_not
from headwater.tables.layout_wish import LAYOUT_WISH, as_property
from headwater.tables.versions import catch_up


def replace_dynamic_table(
    context: Context, statement: CreateDynamicTable, existing: Table, plan: Plan
) -> str:
    """Give the table its new query; gives back what becomes of its rows."""
    lake, session, store = context.lake, context.session, context.store
    table = catch_up(lake, existing)
    old = store.dynamic_tables.by_id(table.id)
    assert old is not None
    checked = session.settings.get(CHECK, "true").lower() != "false"
    problem = _problem(table, plan)
    if problem is not None and checked:
        name, span = f"{table.schema}.{table.name}", statement.name_span
        raise UserError("REPLACED_COLUMNS", table=name, problem=problem, span=span)
    new = definition_from(context, statement, table, plan)
    columns = _spelt(table, plan) if problem is None else plan.columns
    new = replace(new, suspended=old.suspended, columns=columns)
    frontier = None
    if old.frontier is not None:
        why = problem or f"{CHECK} is false"
        fits = checked and problem is None
        frontier = _frontier(context, old, new, table, plan) if fits else anew(old.frontier, why)
    with session.lock, lake.locks.hold(table.id):
        store.dynamic_tables.replace(new, frontier=frontier)
        reach("replace.after_catalog")
        try:
            if problem is None:
                alter_table(context, table, _steps(context, table, plan))
            else:
                replace_table(context, table, plan.table)
        except HeadwaterError:
            store.dynamic_tables.replace(old, frontier=old.frontier)
            raise
    return _note(old, frontier, problem)


def _spelt(table: Table, plan: Plan) -> tuple[OwnColumn, ...]:
    """The columns of the plan; one that is there keeps the spelling it has."""
    there = {column.name.lower(): column.name for column in table.shape.columns}
    return tuple(replace(c, name=there.get(c.name.lower(), c.name)) for c in plan.columns)


def _note(old: DynamicTable, frontier: Frontier | None, problem: str | None) -> str:
    if problem is not None:
        return f"it is empty until the next refresh: {problem}"
    if old.frontier is None or frontier is None:
        return f"REFRESH {old.words} {old.qualified} fills it"
    lacking = frontier.detail.get(LACKING)
    if lacking:
        names = ", ".join(f"'{name}'" for name in lacking["columns"])
        noun = "column" if len(lacking["columns"]) == 1 else "columns"
        return f"its rows stay, and the next refresh fills in {noun} {names}"
    if frontier.fingerprint:
        return "its rows stay, and the next refresh goes on from them"
    return "its rows stay until the next refresh, which is a full one"


def _problem(table: Table, plan: Plan) -> str | None:
    """Why the rows of the table cannot stay."""
    partitions = tuple(name.lower() for name in table.shape.partition_columns)
    if partitions != tuple(name.lower() for name in plan.table.partitioned_by):
        return "it would be partitioned by other columns"
    return why_not(table.shape, plan.columns)


def _frontier(
    context: Context, old: DynamicTable, new: DynamicTable, table: Table, plan: Plan
) -> Frontier | None:
    """What the rows are worth under the new query."""
    assert old.frontier is not None
    if streams_of(plan.sources):
        return replace(old.frontier, fingerprint=OF_CHANGES, sources={})
    if old.frontier.fingerprint == OF_CHANGES:
        return anew(old.frontier, "it read a stream")
    try:
        before = definition_of(context, old)
    except HeadwaterError as error:
        return anew(old.frontier, f"the old query means nothing any more: {error.message}")
    after = define(
        context.lake,
        rows_query(new),
        names=own_names(new, table),
        workspace=new.query_workspace,
        schema=new.query_schema,
        columns=new.source_columns,
        parameters=given_parameters(context.session.settings),
    )
    return carry_over(
        context.lake,
        old.frontier,
        Asked(before, _types(old, table)),
        Asked(after, _types(new, table)),
    )


def _types(dynamic: DynamicTable, table: Table) -> dict[str, str]:
    """The columns that a row is told by, which those that it is given are not."""
    own = own_names(dynamic, table)
    every = dynamic.columns or table.shape.columns
    return {column.name: column.type for column in every if column.name in own}


def _steps(context: Context, table: Table, plan: Plan) -> list[str]:
    """What the statement changes besides the query; the rows stay."""
    wanted, shape = plan.table, table.shape
    lake_days = context.lake.config.data_retention_days
    steps, drops = column_steps(shape, plan.columns)
    there = {column.name.lower(): column for column in shape.columns}
    for after in wanted.columns:
        before = there.get(after.name.lower())
        if before is not None and (after.comment or "") != (before.comment or ""):
            change = ChangeColumn((after.name,), comment=after.comment or "")
            steps.append(alter_step(change.to_sql()))
    if wanted.clustered_by != shape.cluster_columns:
        steps.append(alter_step(ClusterBy(wanted.clustered_by).to_sql()))
    steps += _layout_steps(as_property(wanted.clustering), shape.properties.get(LAYOUT_WISH))
    if (wanted.comment or "") != (shape.comment or ""):
        steps.append(comment_step(wanted.comment or ""))
    new = tuple((k, v) for k, v in wanted.properties if shape.properties.get(k) != v)
    return [*steps, *property_steps(table, new, lake_days=lake_days), *drops]


def _layout_steps(wish: dict[str, str], before: str | None) -> list[str]:
    if wish.get(LAYOUT_WISH) == before:
        return []
    if not wish:
        return [alter_step(f"UNSET TBLPROPERTIES IF EXISTS ('{LAYOUT_WISH}')")]
    return [alter_step(f"SET TBLPROPERTIES ({render_properties(tuple(wish.items()))})")]
