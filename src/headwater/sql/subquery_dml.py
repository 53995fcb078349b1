"""UPDATE and DELETE with sub-queries, which Delta refuses, as the MERGE that means the same.

Law: whether a row is meant, and what it becomes, depends only on the values in it, so equal rows
share their fate. The rows that are meant are therefore found by a query, made distinct, and joined
back to the table on all its columns, null equal to null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from headwater.errors import Span
from headwater.names import quote_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.edits import Edit
from headwater.sql.tokens import Token

_QUERY_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE")
_MEANT = "headwater_meant"
_NO_ALIAS = ("SET", "WHERE")


@dataclass(frozen=True, slots=True)
class MergedTable:
    """The target: its name for Spark, quoted, and its columns in order."""

    spark_name: str
    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """`column = value` of an UPDATE."""

    column: str
    before_value: Span
    """The column and the equals sign."""
    value_end: int


def has_subquery(tokens: Sequence[Token]) -> bool:
    """Whether any parenthesis holds a query."""
    return any(
        opening.text == "(" and opening.kind == "symbol" and inside.upper in _QUERY_STARTS
        for opening, inside in pairwise(tokens)
    )


def delete_as_merge(text: str, tokens: list[Token], table: MergedTable) -> tuple[Edit, ...]:
    """Edits that make a MERGE of `DELETE FROM t [alias] WHERE ..`."""
    cursor = Cursor(text, tokens)
    cursor.expect("DELETE", "FROM")
    alias, edits = _source(cursor, table)
    edits.append(_insert(cursor.token.start, f"SELECT DISTINCT {alias}.* "))
    return (*edits, _end(text, table, alias, "DELETE"))


def update_as_merge(text: str, tokens: list[Token], table: MergedTable) -> tuple[Edit, ...]:
    """Edits that make a MERGE of `UPDATE t [alias] SET c = .. WHERE ..`."""
    cursor = Cursor(text, tokens)
    cursor.expect("UPDATE")
    alias, edits = _source(cursor, table)
    edits.append(Edit(cursor.token.span, f"SELECT DISTINCT {alias}.*,"))
    cursor.expect("SET")
    changes: list[str] = []
    for number, assignment in enumerate(_assignments(cursor), start=1):
        new = quote_identifier(f"headwater_value_{number}")
        edits.append(Edit(assignment.before_value, ""))
        edits.append(_insert(assignment.value_end, f" AS {new}"))
        changes.append(f"{assignment.column} = {_MEANT}.{new}")
    return (*edits, _end(text, table, alias, "UPDATE SET " + ", ".join(changes)))


def _source(cursor: Cursor, table: MergedTable) -> tuple[str, list[Edit]]:
    """The edits up to the end of the target, and its alias; Spark allows FROM before SELECT."""
    target = cursor.token
    name = cursor.object_name()
    target_end = cursor.peek(-1).end
    explicit = cursor.accept("AS")
    named = cursor.token.is_name and cursor.token.upper not in _NO_ALIAS
    alias = quote_identifier(cursor.name() if explicit or named else name.name)
    start = f"MERGE INTO {table.spark_name} AS {alias} USING (FROM "
    edits = [Edit(Span(cursor.tokens[0].start, target.start), start)]
    if not (explicit or named):
        edits.append(_insert(target_end, f" AS {alias}"))
    return alias, edits


def _assignments(cursor: Cursor) -> list[_Assignment]:
    """The assignments up to WHERE or the end."""
    found: list[_Assignment] = []
    while True:
        start = cursor.token.start
        while not cursor.at_end and not cursor.at_symbol("="):
            cursor.advance()
        column = cursor.text[start : cursor.token.start].strip()
        before = Span(start, cursor.token.end)
        cursor.expect_symbol("=")
        end = _skip_value(cursor)
        found.append(_Assignment(column, before, end))
        if not cursor.accept_symbol(","):
            return found


def _skip_value(cursor: Cursor) -> int:
    """Go to the comma or WHERE that ends a value; gives back where the value ended."""
    end = cursor.token.end
    while not (cursor.at_end or cursor.at("WHERE") or cursor.at_symbol(",")):
        if cursor.at_symbol("("):
            cursor.skip_parentheses()
        else:
            cursor.advance()
        end = cursor.peek(-1).end
    return end


def _end(text: str, table: MergedTable, alias: str, action: str) -> Edit:
    columns = map(quote_identifier, table.columns)
    same = " AND ".join(f"{alias}.{column} <=> {_MEANT}.{column}" for column in columns)
    # A comment at the end of the statement must not swallow the parenthesis.
    tail = f"\n) AS {_MEANT} ON {same} WHEN MATCHED THEN {action}"
    return _insert(len(text), tail)


def _insert(place: int, text: str) -> Edit:
    return Edit(Span(place, place), text)
