"""SELECT and everything else that only reads: Spark runs the text."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.query import Query
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text


def query(context: Context, statement: Query) -> Result:
    """Run a query and take its rows."""
    session = context.session
    with session.lock, spark_text(context, statement.text) as text:
        return session.spark().run(text)
