"""What Spark runs as typed: queries, and commands that concern only the session."""

from __future__ import annotations

from dataclasses import dataclass

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


def parse_query(cursor: Cursor) -> Query | Insert:
    """Keep the text; `WITH .. INSERT INTO t ..` and `FROM s INSERT INTO t ..` write a table."""
    depth = 0
    while not cursor.at_end:
        if depth == 0 and (cursor.at("INSERT", "INTO") or cursor.at("INSERT", "OVERWRITE")):
            return parse_insert(cursor)
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    return Query(cursor.text)


def parse_explain(cursor: Cursor) -> Query:
    """Keep the text: whatever is explained, nothing is written."""
    return Query(cursor.text)


def parse_spark_command(cursor: Cursor) -> SparkCommand:
    """Keep the text."""
    return SparkCommand(cursor.text)
