"""`PARTITION (column = value, ..)`: one partition of a table, as typed."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import Span
from headwater.names import quote_identifier, quote_literal
from headwater.sql.cursor import Cursor

_TYPED = ("DATE",)


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """A partition column and the value it has, without its quotes; None is NULL."""

    column: str
    value: str | None
    span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """As it stands in the parentheses."""
        value = "NULL" if self.value is None else quote_literal(self.value)
        return f"{quote_identifier(self.column)} = {value}"


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """The values of some partition columns, in the order in which they were typed."""

    values: tuple[PartitionValue, ...]
    span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The clause in its canonical spelling."""
        return f"PARTITION ({', '.join(value.to_sql() for value in self.values)})"


def parse_partition_spec(cursor: Cursor) -> PartitionSpec | None:
    """Read the clause if it stands here."""
    start = cursor.token.start
    if not cursor.accept("PARTITION"):
        return None
    values = cursor.comma_list(_value)
    return PartitionSpec(values, Span(start, cursor.tokens[cursor.position - 1].end))


def _value(cursor: Cursor) -> PartitionValue:
    start = cursor.token.start
    column = cursor.name("a partition column")
    cursor.expect_symbol("=")
    value = _literal(cursor)
    return PartitionValue(column, value, Span(start, cursor.tokens[cursor.position - 1].end))


def _literal(cursor: Cursor) -> str | None:
    if cursor.accept("NULL"):
        return None
    if cursor.token.upper in _TYPED and cursor.peek(1).kind == "string":
        cursor.advance()
    if cursor.token.kind in ("string", "number") or cursor.token.upper in ("TRUE", "FALSE"):
        return cursor.advance().value
    if cursor.accept_symbol("-") and cursor.token.kind == "number":
        return "-" + cursor.advance().value
    cursor.fail_expected("a value", hint="write it as a literal: PARTITION (ds = '2026-01-31')")
