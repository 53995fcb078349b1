"""CREATE [OR REPLACE] DYNAMIC TABLE: the query is checked and kept, the table is made empty.

Invariant: rows come by refreshes alone. INITIALIZE = ON_CREATE asks for the first one at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater.catalog.dynamic_tables import DynamicTable, Refresh, RefreshMode
from headwater.catalog.objects import Operation, Table, TableKind
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.names import QualifiedName, counted
from headwater.result import Result
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.edits import own_text
from headwater.sql.once_per_row import without_given
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.sql.target_lag import ON_CREATE
from headwater.statements.context import Context
from headwater.statements.create_table import table_head
from headwater.statements.dynamic_plan import Plan, definition_from, plan_of
from headwater.statements.prospects import require_incremental
from headwater.statements.refreshing import refresh, why_in_full
from headwater.statements.replace_dynamic_table import replace_dynamic_table
from headwater.statements.stream_query import streams_of
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.create import create, new_table
from headwater.tables.find import find_schema, name_taken
from headwater.tables.layout_wish import WITHOUT_EFFECT, as_property
from headwater.tables.registration import register_database

_KINDS = {
    RefreshedKind.DYNAMIC_TABLE: TableKind.DYNAMIC,
    RefreshedKind.MATERIALIZED_VIEW: TableKind.MATERIALIZED_VIEW,
}


def create_dynamic_table(context: Context, statement: CreateDynamicTable) -> Result:
    """Make a dynamic table, or give one a new query."""
    return make(context, statement, _filled)


Fill = Callable[[Context, DynamicTable, str], str]
"""Refreshes a table that was created or replaced, as the text says; gives back what it did."""


def make(context: Context, statement: CreateDynamicTable, fill: Fill) -> Result:
    """Make a dynamic table or materialized view, or give one a new query."""
    name, kind = context.qualify(statement.name), statement.kind
    require_allowed_name(name.name, kind.lower(), span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is not None and statement.if_not_exists:
        return Result(message=f"{existing.kind.words.lower()} {name} exists already")
    if existing is not None and not (statement.or_replace and existing.kind.words == kind):
        raise name_taken(existing, span=statement.name_span, hint=_instead(existing, name, kind))
    plan = plan_of(context, statement, name)
    if statement.mode == RefreshMode.STRICT and not streams_of(plan.sources):
        aliases = [column.alias or "" for column in plan.columns if column.given is not None]
        rows = without_given(statement.query, aliases)
        # Behind a column that was taken out, places are not those of the statement.
        require_incremental(context, name, rows, None if aliases else statement.query_span)
    context.lake.writer.ensure()
    if existing is None:
        _create(context, statement, name, plan)
        done, note = "created", f"REFRESH {kind} {name} fills it{_each_in_full(context, name)}"
    else:
        done, note = "replaced", replace_dynamic_table(context, statement, existing, plan)
    if statement.initialize == ON_CREATE:
        dynamic = context.store.dynamic_tables.get(name.workspace, name.schema, name.name)
        assert dynamic is not None
        note = fill(context, dynamic, done)
    if as_property(plan.table.clustering):
        note += f"; {WITHOUT_EFFECT}"
    return Result(message=f"{kind.lower()} {name} {done}; {note}")


def _each_in_full(context: Context, name: QualifiedName) -> str:
    dynamic = context.store.dynamic_tables.get(name.workspace, name.schema, name.name)
    assert dynamic is not None
    try:
        why = why_in_full(context, dynamic)
    except HeadwaterError:
        # The table is made. What stands in the way of a refresh, the refresh will say.
        return ""
    return "" if why is None else f"; each refresh works all rows out anew: {why}"


def _instead(existing: Table, name: QualifiedName, kind: RefreshedKind) -> str:
    if existing.kind is TableKind.DYNAMIC and kind is RefreshedKind.DYNAMIC_TABLE:
        return f"CREATE OR REPLACE DYNAMIC TABLE {name} .."
    return f"DROP {existing.kind.words} {name}"


def _create(
    context: Context, statement: CreateDynamicTable, name: QualifiedName, plan: Plan
) -> None:
    lake, session = context.lake, context.session
    plain = new_table(lake, name, author=context.author)
    table = replace(plain, kind=_KINDS[statement.kind])
    definition = definition_from(context, statement, table, plan)
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


def _filled(context: Context, dynamic: DynamicTable, done: str) -> str:
    """Refresh a table at the end of the statement that made it; if that fails, it stays made."""
    try:
        made = refresh(context, dynamic)
    except HeadwaterError as error:
        why = f"{error.condition}: {error.message}"
        kind = TransientError if isinstance(error, TransientError) else UserError
        raise kind("FIRST_REFRESH_FAILED", table=dynamic.qualified, done=done, why=why) from error
    return inserted(made)


def inserted(made: Refresh) -> str:
    """What a refresh at the end of CREATE did, in words."""
    return f"{counted(made.rows_inserted or 0, 'row')} inserted by its first refresh"
