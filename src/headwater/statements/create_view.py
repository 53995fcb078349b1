"""CREATE [OR REPLACE] VIEW: the query is checked by Spark once and kept as typed."""

from __future__ import annotations

import uuid
from dataclasses import replace

from headwater.catalog.objects import Table, TableColumn, TableKind, TableShape, TableState
from headwater.errors import Span, UserError
from headwater.names import QualifiedName
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.edits import Edit
from headwater.sql.views import CreateView, ViewColumn
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.view_query import require_view_query
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, name_taken


def create_view(context: Context, statement: CreateView) -> Result:
    """Make a view, or give one a new query."""
    name = context.qualify(statement.name)
    span = context.span_of(statement.name)
    require_allowed_name(name.name, "view", span=span)
    find_schema(context.store, name.workspace, name.schema, span=span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is not None and statement.if_not_exists:
        return Result(message=f"{existing.kind.lower()} {name} exists already")
    if existing is not None and not (statement.or_replace and existing.kind is TableKind.VIEW):
        hint = f"CREATE OR REPLACE VIEW {name} .." if existing.kind is TableKind.VIEW else None
        raise name_taken(existing, span=span, hint=hint)
    columns = named(view_columns(context, name, statement.query_span), statement.columns, span)
    at = now()
    view = Table(
        id=uuid.uuid4().hex[:12],
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        kind=TableKind.VIEW,
        state=TableState.ACTIVE,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        shape=TableShape(columns=columns, comment=statement.comment),
        view_text=statement.query,
        view_schema=context.session.schema,
        created_by_job=context.job_id,
    )
    context.lake.writer.ensure()
    if existing is None:
        context.store.tables.insert_active(view)
    else:
        context.store.tables.replace_view(view)
    return Result(message=f"view {name} {'created' if existing is None else 'replaced'}")


def view_columns(
    context: Context, view: QualifiedName, query_span: Span | None
) -> tuple[TableColumn, ...]:
    """The columns of the query that stands at `query_span`, as Spark sees them."""
    start = query_span.start if query_span else 0
    require_view_query(context, view, context.text[start:])
    session = context.session
    with session.lock:
        head = Edit(Span(0, start), "")
        with spark_text(context, context.text, extra=(head,)) as text:
            return session.spark().columns_of(text)


def named(
    columns: tuple[TableColumn, ...], names: tuple[ViewColumn, ...], span: Span | None
) -> tuple[TableColumn, ...]:
    """The columns under the names the statement gives them; no name may stand twice."""
    if names:
        if len(names) != len(columns):
            raise UserError("VIEW_COLUMN_COUNT", given=len(names), expected=len(columns), span=span)
        columns = tuple(
            replace(column, name=name, comment=comment or column.comment)
            for column, (name, comment) in zip(columns, names, strict=True)
        )
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen:
            raise UserError("VIEW_COLUMN_TWICE", column=column.name, span=span)
        seen.add(column.name.lower())
    return columns
