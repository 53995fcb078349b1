"""DROP FUNCTION, DESC FUNCTION and SHOW USER FUNCTIONS."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.query import SparkCommand
from headwater.sql.show import parse_scope, scope_to_sql
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter


@dataclass(frozen=True, slots=True)
class DropFunction:
    """DROP FUNCTION [IF EXISTS] f."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP FUNCTION {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class DescFunction:
    """DESC FUNCTION [EXTENDED] f: a function of the lake, else one of Spark's."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC FUNCTION {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowUserFunctions:
    """SHOW USER FUNCTIONS [IN schema] [LIKE|WHERE] [LIMIT]: those of the lake."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW USER FUNCTIONS{scope_to_sql(self.schema)}{self.filter.to_sql()}"


def parse_drop_function(cursor: Cursor) -> DropFunction:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "FUNCTION")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the function's name")
    cursor.expect_end()
    return DropFunction(name, if_exists)


def parse_desc_function(cursor: Cursor) -> DescFunction | SparkCommand:
    """Read the statement; the cursor stands before DESC. Spark also describes operators."""
    start = cursor.position
    cursor.advance()
    cursor.expect("FUNCTION")
    extended = cursor.at("EXTENDED") and cursor.peek(1).kind != "end" and cursor.accept("EXTENDED")
    if not cursor.token.is_name:
        cursor.position = start
        return SparkCommand(cursor.text)
    name = cursor.object_name("the function's name")
    cursor.expect_end()
    return DescFunction(name, extended)


def parse_show_user_functions(cursor: Cursor) -> ShowUserFunctions:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "USER", "FUNCTIONS")
    schema = parse_scope(cursor)
    return ShowUserFunctions(schema, parse_show_filter(cursor))
