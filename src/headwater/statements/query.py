"""SELECT and everything else that only reads: Spark runs the text."""

from __future__ import annotations

import re

from headwater.errors import HeadwaterError
from headwater.names import did_you_mean
from headwater.result import Result
from headwater.sql.query import Query
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text

_MISSING = re.compile(r"view (`[^ ]+`)")


def query(context: Context, statement: Query) -> Result:
    """Run a query and take its rows."""
    session = context.session
    with session.lock, spark_text(context, statement.text) as text:
        try:
            return session.spark().run(text)
        except HeadwaterError as error:
            _suggest(context, error)
            raise


def _suggest(context: Context, error: HeadwaterError) -> None:
    """Spark does not know our tables before they are mentioned: name the nearest one ourselves."""
    if not error.condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        return
    missing = _MISSING.search(error.message)
    if missing is None:
        return
    parts = missing.group(1).replace("`", "").split(".")
    schema = parts[-2] if len(parts) > 1 else context.session.schema
    names = context.store.tables.names(context.session.workspace, schema)
    known = [*names, *context.session.temporary_views]
    error.hint = did_you_mean(parts[-1], known) or f"SHOW TABLES IN {schema}"
