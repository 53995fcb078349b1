"""A query that is wrong is refused before Spark is started, which takes seconds.

Our own rules come first. What passes them is shown to Spark's parser, in a JVM that has no Spark in
it yet, at the moment in which a statement would start Spark. Only a session that has not used Spark
is looked at: it has no variables, no temporary views and no settings of Spark's parser that could
give a text another meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.errors import Span
from headwater.sql.certain_errors import certain_error
from headwater.sql.create_materialized_view import CreateMaterializedView
from headwater.sql.dml import Insert
from headwater.sql.parse import Statement
from headwater.sql.parser_text import parser_text
from headwater.sql.query import Query
from headwater.sql.session_configs import given_parameters
from headwater.statements.context import Context


@contextmanager
def sound_query(context: Context, statement: Statement) -> Iterator[None]:
    """Raises SYNTAX_ERROR if the query of the statement, where it has one, cannot be right.

    While the statement is carried out, the session knows the text that its parser has to take.
    """
    session, span = context.session, query_span(context.text, statement)
    if span is None or session.spark_started:
        yield
        return
    tokens = [t for t in context.tokens if span.start <= t.start < span.end or t.kind == "end"]
    error = certain_error(context.text, tokens)
    if error is not None:
        raise error
    outer = session.unparsed
    session.unparsed = parser_text(context.text, span, given_parameters(session.settings))
    try:
        yield
    finally:
        session.unparsed = outer


def query_span(text: str, statement: Statement) -> Span | None:
    """Where in a statement the text stands that Spark's parser will see; None if it will not."""
    if isinstance(statement, Query | Insert):
        return Span(0, len(text))
    if isinstance(statement, CreateMaterializedView):
        return statement.table.query_span
    found = getattr(statement, "query_span", None)
    return found if isinstance(found, Span) else None
