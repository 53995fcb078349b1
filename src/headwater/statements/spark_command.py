"""Commands of Spark's that concern only the session: temporary views, functions, CACHE .."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.cursor import Cursor
from headwater.sql.query import SparkCommand
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.tables.allowed_names import RESERVED_PREFIX


def spark_command(context: Context, statement: SparkCommand) -> Result:
    """Let Spark run the command; remember the temporary views it makes."""
    session = context.session
    with session.lock, spark_text(context, statement.text, keep_views=True) as text:
        result = session.spark().run(text)
    if context.tokens[1].upper == "FUNCTIONS":
        result = _without_ours(result)
    name = temporary_view_name(context)
    if name is not None:
        session.temporary_views.add(name)
    return result


def _without_ours(result: Result) -> Result:
    """SHOW FUNCTIONS without the names under which Spark knows functions of ours."""
    shown = [row for row in result.rows if not str(row[0]).startswith(RESERVED_PREFIX)]
    return Result.from_rows(result.schema, shown)


def temporary_view_name(context: Context) -> str | None:
    """The name in `CREATE [OR REPLACE] TEMP[ORARY] VIEW [IF NOT EXISTS] name`, or None."""
    cursor = Cursor(context.text, context.tokens)
    if not cursor.accept("CREATE"):
        return None
    cursor.accept("OR", "REPLACE")
    if not (cursor.accept("TEMP") or cursor.accept("TEMPORARY")) or not cursor.accept("VIEW"):
        return None
    cursor.accept("IF", "NOT", "EXISTS")
    return cursor.name().lower() if cursor.token.is_name else None
