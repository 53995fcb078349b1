"""What a view may be made of: one query, over things that stay, not over itself."""

from __future__ import annotations

from headwater.catalog.objects import Table, TableKind
from headwater.errors import Span, UserError
from headwater.names import QualifiedName
from headwater.sql.parse import Statement, parse
from headwater.sql.query import Query
from headwater.sql.relations import Relation, find_relations
from headwater.sql.tokens import tokenize
from headwater.statements.context import Context


def require_view_query(context: Context, view: QualifiedName, text: str) -> None:
    """Refuse what cannot be the query of `view`; nothing is run to find out."""
    if not isinstance(_parsed(context, text), Query) or tokenize(text)[0].upper == "EXPLAIN":
        raise UserError("VIEW_NOT_A_QUERY")
    for relation in _relations(text):
        name = relation.name
        if name.schema is None and name.name in context.session.temporary_views:
            raise UserError("VIEW_ON_TEMPORARY_VIEW", name=name)
        _require_other(context, view, context.qualify(name), seen=set())


def _require_other(
    context: Context, view: QualifiedName, read: QualifiedName, *, seen: set[QualifiedName]
) -> None:
    """Refuse `view` if it is `read`, or is read by it through views and dynamic tables."""
    if read == view:
        raise UserError("VIEW_READS_ITSELF", view=view)
    table = context.store.tables.get(read.workspace, read.schema, read.name)
    if read in seen or table is None:
        return
    seen.add(read)
    text, workspace, schema = _query(context, table)
    for relation in _relations(text) if text else ():
        inner = relation.name.qualified(workspace=workspace, schema=schema)
        _require_other(context, view, inner, seen=seen)


def _query(context: Context, table: Table) -> tuple[str, str, str]:
    """The query of a view or a dynamic table, and where its names are resolved; else none."""
    if table.kind is TableKind.VIEW:
        return table.view_text or "", table.workspace, table.view_schema or table.schema
    dynamic = None
    if table.kind.is_refreshed:
        dynamic = context.store.dynamic_tables.by_id(table.id)
    if dynamic is None:
        return "", table.workspace, table.schema
    return dynamic.query, dynamic.query_workspace, dynamic.query_schema


def _relations(text: str) -> tuple[Relation, ...]:
    return find_relations(text, tokenize(text)).named


def _parsed(context: Context, text: str) -> Statement:
    try:
        return parse(text)
    except UserError as error:
        # The query is the end of the statement: point at the same word of the whole.
        shift = len(context.text) - len(text)
        if error.span is not None:
            error.span = Span(error.span.start + shift, error.span.end + shift)
        raise
