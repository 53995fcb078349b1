"""EXPLAIN REFRESH DYNAMIC TABLE and EXPLAIN CREATE DYNAMIC TABLE."""

from __future__ import annotations

from headwater.errors import NotSupported
from headwater.result import Result
from headwater.sql.dynamic_tables import ExplainCreate, ExplainRefresh
from headwater.statements.context import Context
from headwater.statements.dynamic_query import query_sources
from headwater.statements.find_dynamic_table import find_dynamic_table


def explain_refresh(context: Context, statement: ExplainRefresh) -> Result:
    """Say what a refresh would do now."""
    find_dynamic_table(context, statement.name, statement="EXPLAIN REFRESH DYNAMIC TABLE")
    raise NotSupported("EXPLAIN_REFRESH_NOT_YET")


def explain_create(context: Context, statement: ExplainCreate) -> Result:
    """Say how the query of a dynamic table would be refreshed."""
    create = statement.create
    start = create.query_span.start if create.query_span is not None else 0
    query_sources(context, context.qualify(create.name), create.query, start=start)
    raise NotSupported("EXPLAIN_REFRESH_NOT_YET")
