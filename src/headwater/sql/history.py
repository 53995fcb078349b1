"""DESC HISTORY, RESTORE TABLE and OPTIMIZE: statements about a table's versions and files."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span
from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.properties import Properties, parse_properties, render_properties
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter


@dataclass(frozen=True, slots=True)
class DescHistory:
    """DESC HISTORY t [WHERE ..] [LIMIT n], newest version first."""

    name: ObjectName
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC HISTORY {self.name}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class RestoreTable:
    """RESTORE TABLE t TO TIMESTAMP AS OF <expression> or TO VERSION AS OF n."""

    name: ObjectName
    timestamp: str | None = None
    timestamp_span: Span | None = None
    version: int | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        if self.version is not None:
            return f"RESTORE TABLE {self.name} TO VERSION AS OF {self.version}"
        return f"RESTORE TABLE {self.name} TO TIMESTAMP AS OF {self.timestamp}"


@dataclass(frozen=True, slots=True)
class Optimize:
    """OPTIMIZE t [WHERE <partition predicate>] [OPTIONS (..)]."""

    name: ObjectName
    where: str | None = None
    options: Properties = ()

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"OPTIMIZE {self.name}"
        if self.where is not None:
            text += f" WHERE {self.where}"
        if self.options:
            text += f" OPTIONS ({render_properties(self.options)})"
        return text


def parse_desc_history(cursor: Cursor) -> DescHistory:
    """Read the statement; the cursor stands before DESC."""
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("HISTORY")
    if cursor.token.upper == "TABLE" and cursor.peek(1).is_name:
        cursor.advance()
    name = cursor.object_name("the table's name")
    return DescHistory(name, parse_show_filter(cursor))


def parse_restore_table(cursor: Cursor) -> RestoreTable:
    """Read the statement; the cursor stands before RESTORE."""
    cursor.expect("RESTORE")
    if not cursor.accept("MATERIALIZED", "VIEW"):
        cursor.accept("DYNAMIC")
        cursor.expect("TABLE")
    name = cursor.object_name("the table's name")
    cursor.expect("TO")
    word = cursor.one_of(("TIMESTAMP", "VERSION"))
    cursor.expect("AS", "OF")
    if word == "VERSION":
        version = cursor.integer("a version number")
        cursor.expect_end()
        return RestoreTable(name, version=version)
    if cursor.at_end:
        cursor.fail_expected("a timestamp")
    text, span = cursor.rest()
    return RestoreTable(name, timestamp=text, timestamp_span=span)


def parse_optimize(cursor: Cursor) -> Optimize:
    """Read the statement; the cursor stands before OPTIMIZE."""
    cursor.expect("OPTIMIZE")
    cursor.accept("TABLE")
    name = cursor.object_name("the table's name")
    where: str | None = None
    if cursor.accept("WHERE"):
        start = cursor.token.start
        if cursor.at_end:
            cursor.fail_expected("a condition")
        while not cursor.at_end and not cursor.at("OPTIONS"):
            cursor.advance()
        where = cursor.text[start : cursor.tokens[cursor.position - 1].end]
    options = parse_properties(cursor) if cursor.accept("OPTIONS") else ()
    cursor.expect_end()
    return Optimize(name, where, options)
