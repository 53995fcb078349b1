"""What Spark runs as typed: queries, and commands that concern only the session."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.sql.cursor import Cursor
from headwater.sql.dml import Insert, parse_insert


@dataclass(frozen=True, slots=True)
class Query:
    """SELECT, WITH, VALUES, FROM .., TABLE t, EXPLAIN: returns rows, changes nothing."""

    text: str

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


@dataclass(frozen=True, slots=True)
class SparkCommand:
    """A command of Spark's that changes no table of the lake: temporary views, CACHE and such."""

    text: str

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


# Whatever stands before them, no query ends with these. Words are no such signs: Spark takes
# `SELECT 1 from` for a column called `from`.
_NEVER_LAST = frozenset((",", "=", "<", ">", "+", "-", "/", "||", ".", "("))


def parse_query(cursor: Cursor) -> Query | Insert:
    """Keep the text; `WITH .. INSERT INTO t ..` and `FROM s INSERT INTO t ..` write a table.

    Only Spark can tell whether a query is right. What certainly is not is said here, because Spark
    takes seconds to start.
    """
    opened: list[Span] = []
    last = cursor.token
    while not cursor.at_end:
        if not opened and (cursor.at("INSERT", "INTO") or cursor.at("INSERT", "OVERWRITE")):
            return parse_insert(cursor)
        if cursor.at_symbol("("):
            opened.append(cursor.token.span)
        elif cursor.at_symbol(")"):
            if not opened:
                cursor.fail("this parenthesis closes none")
            opened.pop()
        last = cursor.token
        cursor.advance()
    if opened:
        raise UserError("SYNTAX_ERROR", problem="this parenthesis is never closed", span=opened[-1])
    if last.kind == "symbol" and last.text in _NEVER_LAST:
        cursor.fail(f"the statement ends after {last.text}", start=last.start)
    return Query(cursor.text)


def parse_explain(cursor: Cursor) -> Query:
    """Keep the text: whatever is explained, nothing is written."""
    return Query(cursor.text)


def parse_spark_command(cursor: Cursor) -> SparkCommand:
    """Keep the text."""
    return SparkCommand(cursor.text)
