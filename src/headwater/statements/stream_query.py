"""What the query of a dynamic table may be that reads streams.

A change is handed out once. So the rows of such a table are never worked out anew: each refresh
adds what the query gives for the changes that wait. That is what the query would give for all of
them only if it looks at each by itself, and only such queries are taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from headwater.algebra.binding import NotIncremental, bind
from headwater.algebra.qualified import qualify
from headwater.algebra.rewrites import simplify
from headwater.algebra.row_by_row import objection
from headwater.catalog.dynamic_tables import RefreshMode
from headwater.catalog.objects import Table, TableKind
from headwater.errors import NotSupported, Span
from headwater.names import QualifiedName
from headwater.refresh.definition import Columns, Resolver
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.session_configs import parameter_keys
from headwater.statements.context import Context
from headwater.statements.stream_source import with_columns
from headwater.streams.reads import StreamReads

_AS_THEY_ARE: Columns = MappingProxyType({})


def streams_of(sources: Iterable[Table]) -> tuple[Table, ...]:
    """Those of the sources that are streams."""
    return tuple(source for source in sources if source.kind is TableKind.STREAM)


def only_looking(context: Context) -> Context:
    """The statement, as one that consumes nothing of the streams that it looks at."""
    return replace(context, reads=StreamReads())


def require_clauses_of_changes(statement: CreateDynamicTable, name: QualifiedName) -> None:
    """Refuse clauses that say something of rows that are worked out anew."""
    if statement.mode == RefreshMode.FULL:
        raise full_of_changes(name, statement.name_span)
    if statement.immutable_where is not None:
        raise _refused(name, "IMMUTABLE WHERE", statement.name_span)
    if parameter_keys(statement.query):
        raise _refused(name, "parameters", statement.name_span)


def require_row_by_row(
    context: Context,
    name: QualifiedName,
    query: str,
    columns: tuple[str, ...],
    sources: tuple[Table, ...],
    *,
    then: Columns = _AS_THEY_ARE,
    span: Span | None = None,
) -> None:
    """Refuse a query that needs more than the changes that wait; `columns` are its own.

    `then` are the columns of sources that a star means.

    A view below it may have become another one since the table was made, so refreshes ask too.
    """
    resolver = Resolver(
        context.lake,
        context.workspace or context.session.workspace,
        context.schema or context.session.schema,
        then,
        {},
        lambda table: with_columns(context, table),
    )
    try:
        bound = simplify(bind(qualify(query, resolver), columns))
    except NotIncremental as refusal:
        raise _refused(name, refusal.construct, span) from refusal
    words = objection(bound.tree, {stream.id for stream in streams_of(sources)})
    if words is not None:
        raise _refused(name, words, span)


def full_of_changes(name: QualifiedName, span: Span | None = None) -> NotSupported:
    """The error for a table that is to be worked out in full from changes that come once."""
    return _refused(name, "REFRESH_MODE = FULL", span)


def _refused(name: QualifiedName, construct: str, span: Span | None) -> NotSupported:
    return NotSupported("DYNAMIC_TABLE_ON_STREAM", table=name, construct=construct, span=span)
