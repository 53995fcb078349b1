"""REFRESH DYNAMIC TABLE: the rows become those of the query over the sources as they are now.

Invariant: the commit that writes the rows bears the frontier they belong to. Until it is there the
old rows are read, and a refresh that fails leaves them.
"""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    Refresh,
    RefreshKind,
    RefreshMark,
    RefreshState,
)
from headwater.catalog.objects import Operation, Table, TableColumn
from headwater.errors import HeadwaterError, SchemaError
from headwater.names import QualifiedName, counted, show_identifier
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.dynamic_tables import RefreshDynamicTable
from headwater.statements.context import Context
from headwater.statements.dynamic_query import query_sources
from headwater.statements.find_dynamic_table import find_dynamic_table
from headwater.statements.spark_text import spark_text
from headwater.tables.commits import commit
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up

_REASON = "every refresh computes all rows"


@dataclass(frozen=True, slots=True)
class _Target:
    """What is refreshed, from what."""

    table: Table
    dynamic: DynamicTable
    sources: tuple[Table, ...]


def refresh_dynamic_table(context: Context, statement: RefreshDynamicTable) -> Result:
    """Compute a dynamic table anew."""
    table, dynamic = find_dynamic_table(context, statement.name, statement="REFRESH DYNAMIC TABLE")
    context.lake.writer.ensure()
    begun = context.store.refreshes.start(_begun(context, dynamic))
    try:
        target = _target(context, table, dynamic)
        begun = replace(begun, source_tables=_names(target))
        ended = _refresh(context, target, begun)
    except BaseException as error:
        message = error.message if isinstance(error, HeadwaterError) else str(error)
        failed = replace(begun, state=RefreshState.FAILED, error_message=message, ended_at=now())
        context.store.refreshes.finish(failed)
        if isinstance(error, HeadwaterError):
            # A place in the query is none in the statement.
            error.span = None
        raise
    context.store.refreshes.finish(ended)
    rows = ended.rows_inserted or 0
    message = f"dynamic table {dynamic.qualified} refreshed: {ended.kind}, {counted(rows, 'row')}"
    return Result(rowcount=rows, message=message)


def _begun(context: Context, dynamic: DynamicTable) -> Refresh:
    schedule = dynamic.schedule
    cluster = schedule.vcluster if schedule is not None else None
    return Refresh(
        table_id=dynamic.id,
        number=0,
        workspace=dynamic.workspace,
        schema=dynamic.schema,
        name=dynamic.name,
        virtual_cluster=cluster or context.session.vcluster,
        started_at=now(),
        job_id=context.job_id,
    )


def _target(context: Context, table: Table, dynamic: DynamicTable) -> _Target:
    """The table with its sources by name: one that was dropped and made anew is another table."""
    inside = where_defined(context, dynamic)
    sources = query_sources(inside, dynamic.qualified, dynamic.query, start=0)
    ids = tuple(source.id for source in sources)
    if ids != dynamic.sources:
        dynamic = replace(dynamic, sources=ids)
        context.store.dynamic_tables.replace(dynamic)
    return _Target(table, dynamic, sources)


def where_defined(context: Context, dynamic: DynamicTable) -> Context:
    """The context in which the names of the query mean what they meant when it was given."""
    return replace(context, workspace=dynamic.query_workspace, schema=dynamic.query_schema)


def _names(target: _Target) -> tuple[QualifiedName, ...]:
    return tuple(QualifiedName(s.workspace, s.schema, s.name) for s in target.sources)


def _refresh(context: Context, target: _Target, begun: Refresh) -> Refresh:
    lake, session, dynamic = context.lake, context.session, target.dynamic
    with session.lock, ExitStack() as held:
        # What is read must not change between the look at its version and the query.
        for key in sorted({target.table.id, *dynamic.sources}):
            held.enter_context(lake.locks.hold(key))
        before = catch_up(lake, target.table)
        versions = {s.id: catch_up(lake, s).shape.delta_version for s in target.sources}
        frontier = Frontier(versions, begun.started_at, _fingerprint(dynamic))
        mark = RefreshMark(dynamic.id, begun.number, RefreshKind.FULL, frontier)
        inside = where_defined(context, dynamic)
        with spark_text(inside, dynamic.query) as query:
            spark = session.spark()
            _require_columns(before, spark.columns_of(query))
            text = query.wrapped(f"INSERT OVERWRITE {register_table(lake, before)} (", "\n)")
            done = commit(
                lake,
                spark,
                before,
                operation=Operation.REFRESH,
                author=replace(context.author, refresh=mark),
                work=lambda: spark.command(text),
            )
    inserted = done.version.rows_inserted if done.version is not None else 0
    return replace(
        begun,
        state=RefreshState.SUCCEED,
        kind=RefreshKind.FULL,
        reason=_REASON,
        ended_at=now(),
        rows_inserted=inserted,
        rows_deleted=before.shape.totals.rows,
    )


def _require_columns(table: Table, given: tuple[TableColumn, ...]) -> None:
    """The query may give others than it gave when the table was made, by SELECT *."""
    wanted = [column.type for column in table.shape.columns]
    if [column.type for column in given] == wanted:
        return
    shown = ", ".join(f"{show_identifier(column.name)} {column.type}" for column in given)
    name = QualifiedName(table.workspace, table.schema, table.name)
    raise SchemaError("REFRESH_COLUMNS_DIFFER", table=name, given=shown)


def _fingerprint(dynamic: DynamicTable) -> str:
    text = "\0".join((dynamic.query_workspace, dynamic.query_schema, dynamic.query))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
