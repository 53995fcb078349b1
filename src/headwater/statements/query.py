"""SELECT and everything else that only reads: Spark runs the text."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.edits import own_text
from headwater.sql.query import Query
from headwater.statements.context import Context
from headwater.statements.query_rewrite import is_on, rewritten
from headwater.statements.spark_text import spark_text

_QUERIES = ("SELECT", "WITH", "FROM", "(")
_EXPLAINED = ("EXTENDED", "FORMATTED", "CODEGEN", "COST")


def query(context: Context, statement: Query) -> Result:
    """Run a query and take its rows."""
    session = context.session
    with session.lock:
        if is_on(context):
            found = _over_views(context, statement.text)
            if found is not None:
                return found
        with spark_text(context, statement.text) as text:
            return session.spark().run(text)


def _over_views(context: Context, text: str) -> Result | None:
    """The rows of a query from materialized views, if they answer it; EXPLAIN tells of them."""
    place, explains = _query_place(context)
    if context.tokens[place].text.upper() not in _QUERIES:
        return None
    start = context.tokens[place].start
    found = rewritten(context, text[start:])
    spark = context.session.spark()
    if not explains:
        return None if found.text is None else spark.run(found.text)
    if found.text is not None:
        plan = spark.run(own_text(f"{text[:start]}{found.text.text}"))
    else:
        with spark_text(context, text) as typed:
            plan = spark.run(typed)
    notes = "\n".join(("== Materialized Views ==", *found.notes, ""))
    return Result.from_rows(plan.schema, [(f"{row[0]}\n{notes}",) for row in plan.rows])


def _query_place(context: Context) -> tuple[int, bool]:
    """Where the query begins among the tokens, and whether it is only explained."""
    if context.tokens[0].upper != "EXPLAIN":
        return 0, False
    return (2 if context.tokens[1].upper in _EXPLAINED else 1), True
