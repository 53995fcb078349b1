"""Asking Spark about a query of which no dynamic table was made yet."""

from __future__ import annotations

from headwater.errors import Span, UserError
from headwater.names import QualifiedName
from headwater.refresh.definition import define
from headwater.refresh.prospect import Prospect, prospect
from headwater.refresh.relations import PinnedSource
from headwater.sql.session_configs import given_parameters
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up


def prospect_of(context: Context, query: str) -> Prospect:
    """How the query would be maintained."""
    session = context.session
    with session.lock, spark_text(context, query) as text:
        names = tuple(column.name for column in session.spark().columns_of(text))
    definition = define(
        context.lake,
        query,
        names=names,
        workspace=context.workspace or session.workspace,
        schema=context.schema or session.schema,
        columns={},
        parameters=given_parameters(session.settings),
    )
    if definition.query is None:
        return Prospect(definition.not_incremental, definition.span)
    with session.lock:
        sources = {
            table.id: PinnedSource(
                register_table(context.lake, table),
                None,
                catch_up(context.lake, table).shape.delta_version,
            )
            for table in definition.sources
        }
        known = session.understandings.of(
            definition, session.spark(), sources, lambda: spark_text(context, query)
        )
    return prospect(definition, known)


def require_incremental(
    context: Context, name: QualifiedName, query: str, span: Span | None
) -> None:
    """Refuse a query that cannot be maintained incrementally; it stands at `span`, if it does."""
    found = prospect_of(context, query)
    if found.problem is None:
        return
    inner, place = found.span, span
    if span is not None and inner is not None:
        place = Span(span.start + inner.start, span.start + inner.end)
    construct = found.problem.detail or found.problem.reason.words
    raise UserError("QUERY_NOT_INCREMENTAL", table=name, construct=construct, span=place)
