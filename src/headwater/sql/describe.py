"""DESC [TABLE] [EXTENDED] t, and DESC SCHEMA."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.schemas import DescSchema


@dataclass(frozen=True, slots=True)
class DescTable:
    """DESC [EXTENDED] t, of a table or a view."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC TABLE {'EXTENDED ' if self.extended else ''}{self.name}"


def parse_desc_table(cursor: Cursor) -> DescTable:
    """Read the statement; the cursor stands before DESC. EXTENDED may stand in three places."""
    cursor.one_of(("DESC", "DESCRIBE"))
    extended = _accept_extended(cursor)
    kinds = (("DYNAMIC", "TABLE"), ("MATERIALIZED", "VIEW"))
    if any(cursor.at(*words) for words in kinds) and cursor.peek(2).is_name:
        cursor.advance()
    if cursor.token.upper in ("TABLE", "VIEW") and cursor.peek(1).is_name:
        cursor.advance()
    extended = _accept_extended(cursor) or extended
    name = cursor.object_name("the table's name")
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescTable(name, extended)


def _accept_extended(cursor: Cursor) -> bool:
    """EXTENDED, unless it is the name of the table itself."""
    if cursor.token.upper not in ("EXTENDED", "FORMATTED") or not cursor.peek(1).is_name:
        return False
    cursor.advance()
    return True


def parse_desc_schema(cursor: Cursor) -> DescSchema:
    """Read the statement; the cursor stands before DESC."""
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.one_of(("SCHEMA", "DATABASE"))
    extended = _accept_extended(cursor)
    name = cursor.object_name("the schema's name")
    cursor.expect_end()
    return DescSchema(name, extended)
