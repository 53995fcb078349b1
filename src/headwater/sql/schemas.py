"""CREATE SCHEMA, ALTER SCHEMA, DROP SCHEMA, DESC SCHEMA and USE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.properties import Properties, parse_properties, render_properties


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """CREATE SCHEMA [IF NOT EXISTS] s [COMMENT '..'] [PROPERTIES (..)]."""

    name: ObjectName
    if_not_exists: bool = False
    comment: str | None = None
    properties: Properties = ()

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = "CREATE SCHEMA " + ("IF NOT EXISTS " if self.if_not_exists else "") + str(self.name)
        if self.comment is not None:
            text += f" COMMENT {quote_literal(self.comment)}"
        if self.properties:
            text += f" PROPERTIES ({render_properties(self.properties)})"
        return text


@dataclass(frozen=True, slots=True)
class AlterSchema:
    """ALTER SCHEMA s SET COMMENT '..'."""

    name: ObjectName
    comment: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"ALTER SCHEMA {self.name} SET COMMENT {quote_literal(self.comment)}"


@dataclass(frozen=True, slots=True)
class DropSchema:
    """DROP SCHEMA [IF EXISTS] s [CASCADE]."""

    name: ObjectName
    if_exists: bool = False
    cascade: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"DROP SCHEMA {guard}{self.name}" + (" CASCADE" if self.cascade else "")


@dataclass(frozen=True, slots=True)
class DescSchema:
    """DESC SCHEMA s."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC SCHEMA {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class Use:
    """USE [SCHEMA] s."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"USE SCHEMA {self.name}"


_SCHEMA_WORDS = ("SCHEMA", "DATABASE")


def parse_create_schema(cursor: Cursor) -> CreateSchema:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    cursor.one_of(_SCHEMA_WORDS)
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.object_name("the schema's name")
    comment: str | None = None
    properties: Properties = ()
    while not cursor.at_end:
        word = cursor.one_of(("COMMENT", "PROPERTIES", "WITH"))
        if word == "COMMENT":
            cursor.accept_symbol("=")
            comment = cursor.string()
            continue
        if word == "WITH":
            cursor.one_of(("PROPERTIES", "DBPROPERTIES"))
        properties += parse_properties(cursor)
    return CreateSchema(name, if_not_exists, comment, properties)


def parse_alter_schema(cursor: Cursor) -> AlterSchema:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER")
    cursor.one_of(_SCHEMA_WORDS)
    name = cursor.object_name("the schema's name")
    cursor.expect("SET", "COMMENT")
    cursor.accept_symbol("=")
    comment = cursor.string()
    cursor.expect_end()
    return AlterSchema(name, comment)


def parse_drop_schema(cursor: Cursor) -> DropSchema:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP")
    cursor.one_of(_SCHEMA_WORDS)
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the schema's name")
    cascade = cursor.accept("CASCADE")
    if not cascade:
        cursor.accept("RESTRICT")
    cursor.expect_end()
    return DropSchema(name, if_exists, cascade)


def parse_use(cursor: Cursor) -> Use:
    """Read the statement; the cursor stands before USE."""
    cursor.expect("USE")
    if cursor.token.upper in _SCHEMA_WORDS and cursor.peek(1).is_name:
        cursor.advance()
    name = cursor.object_name("the schema's name")
    cursor.expect_end()
    return Use(name)
