"""The parts of an INSERT: the columns it names and the query whose rows it takes."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import Token

_QUERY_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE")


@dataclass(frozen=True, slots=True)
class InsertSource:
    """`columns` is None where the INSERT names none, or matches them by name or condition."""

    columns: tuple[str, ...] | None
    by_position: bool
    query: Span


def insert_source(text: str, tokens: list[Token]) -> InsertSource | None:
    """The source of an INSERT; None where this reading of it does not hold."""
    cursor = Cursor(text, tokens)
    cursor.expect("INSERT")
    cursor.advance()
    cursor.accept("INTO")
    if cursor.at("TABLE") and cursor.peek(1).is_name:
        cursor.advance()
    cursor.object_name()
    by_position = not cursor.at("BY") and not cursor.at("REPLACE") and not cursor.at("PARTITION")
    columns = _columns(cursor)
    while not cursor.at_end and not _at_query(cursor):
        if cursor.at_symbol("("):
            cursor.skip_parentheses()
        else:
            cursor.advance()
    if cursor.at_end:
        return None
    start = cursor.token.start
    return InsertSource(columns, by_position, Span(start, tokens[-2].end))


def _columns(cursor: Cursor) -> tuple[str, ...] | None:
    if not cursor.at_symbol("(") or _at_query(cursor):
        return None
    return cursor.comma_list(lambda inside: inside.name("a column's name"))


def _at_query(cursor: Cursor) -> bool:
    ahead = 0
    while cursor.peek(ahead).text == "(" and cursor.peek(ahead).kind == "symbol":
        ahead += 1
    return cursor.peek(ahead).upper in _QUERY_STARTS
