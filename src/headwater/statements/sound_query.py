"""A query that is wrong for certain is refused before Spark is started, which takes seconds.

Only a session that has not used Spark is looked at: it has no variables, no temporary views and no
settings of Spark's parser that could give a text another meaning.
"""

from __future__ import annotations

from headwater.errors import Span
from headwater.sql.certain_errors import certain_error
from headwater.sql.create_materialized_view import CreateMaterializedView
from headwater.sql.dml import Insert
from headwater.sql.parse import Statement
from headwater.sql.query import Query
from headwater.statements.context import Context


def require_sound_query(context: Context, statement: Statement) -> None:
    """Raises SYNTAX_ERROR if the query of the statement, where it has one, cannot be right."""
    span = _query_span(context, statement)
    if span is None or context.session.spark_started:
        return
    tokens = [t for t in context.tokens if span.start <= t.start < span.end or t.kind == "end"]
    error = certain_error(context.text, tokens)
    if error is not None:
        raise error


def _query_span(context: Context, statement: Statement) -> Span | None:
    if isinstance(statement, Query | Insert):
        return Span(0, len(context.text))
    if isinstance(statement, CreateMaterializedView):
        return statement.table.query_span
    found = getattr(statement, "query_span", None)
    return found if isinstance(found, Span) else None
