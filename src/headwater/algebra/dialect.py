"""The dialect in which a SELECT is taken apart: functions keep the names the user wrote.

sqlglot turns many of Spark's functions into expressions of its own and prints them back as others,
which do not always mean the same. So only those that some rule of ours looks at have a class; every
other call is an exp.Anonymous, whose name and arguments come out as they went in.
"""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.parsers.spark import SparkParser

from headwater.algebra.refusal import Reason, refuse
from headwater.sql.dialect import Headwater

_CLASSES = frozenset(
    """
    SUM COUNT MIN MAX AVG COUNT_IF FIRST FIRST_VALUE LAST LAST_VALUE ANY_VALUE
    STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP BOOL_AND BOOL_OR BIT_AND BIT_OR BIT_XOR
    ROW_NUMBER RANK DENSE_RANK NTILE PERCENT_RANK CUME_DIST LAG LEAD NTH_VALUE
    COALESCE CURRENT_DATE CURRENT_TIMESTAMP
    """.split()
)

_SYNTAX = frozenset("CAST TRY_CAST EXTRACT SUBSTRING SUBSTR TRIM OVERLAY POSITION".split())
"""Functions with words between their arguments."""


class QueryDialect(Headwater):
    """Headwater's SQL with few functions known."""

    class Parser(SparkParser):
        """Reads queries; what it makes is printed by Headwater."""

        # Else a comma is read as CROSS JOIN, which has another plan.
        JOINS_HAVE_EQUAL_PRECEDENCE = False
        FUNCTIONS = {  # noqa: RUF012 - sqlglot reads a plain class attribute
            **{name: make for name, make in SparkParser.FUNCTIONS.items() if name in _CLASSES},
            "CURDATE": exp.CurrentDate.from_arg_list,
        }
        FUNCTION_PARSERS = {  # noqa: RUF012
            name: parse for name, parse in SparkParser.FUNCTION_PARSERS.items() if name in _SYNTAX
        }


def parse_query(text: str) -> exp.Expression:
    """The query of a text, as typed; NotIncremental for what we cannot read."""
    try:
        query = parse_one(text, dialect=QueryDialect)
    except SqlglotError as error:
        raise refuse("syntax that our parser does not know", Reason.SYNTAX_UNKNOWN) from error
    if not isinstance(query, exp.Expression) or not isinstance(query, exp.Query):
        raise refuse("what is no query", Reason.SYNTAX_UNKNOWN)
    for node in query.walk():
        # What users say beside their query is no part of it.
        node.comments = None
    return query
