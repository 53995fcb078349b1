"""DROP TABLE, DROP VIEW, UNDROP TABLE and TRUNCATE TABLE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor


@dataclass(frozen=True, slots=True)
class DropTable:
    """DROP TABLE [IF EXISTS] t; the files stay until the retention time is over."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP TABLE {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class DropView:
    """DROP VIEW [IF EXISTS] v."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP VIEW {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class UndropTable:
    """UNDROP TABLE t: the one dropped last comes back."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"UNDROP TABLE {self.name}"


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """TRUNCATE TABLE t."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"TRUNCATE TABLE {'IF EXISTS ' if self.if_exists else ''}{self.name}"


def parse_drop_table(cursor: Cursor) -> DropTable:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the table's name")
    cursor.expect_end()
    return DropTable(name, if_exists)


def parse_drop_view(cursor: Cursor) -> DropView:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "VIEW")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the view's name")
    cursor.expect_end()
    return DropView(name, if_exists)


def parse_undrop_table(cursor: Cursor) -> UndropTable:
    """Read the statement; the cursor stands before UNDROP."""
    cursor.expect("UNDROP")
    if not cursor.accept("MATERIALIZED", "VIEW"):
        cursor.accept("DYNAMIC")
        cursor.expect("TABLE")
    name = cursor.object_name("the table's name")
    cursor.expect_end()
    return UndropTable(name)


def parse_truncate_table(cursor: Cursor) -> TruncateTable:
    """Read the statement; the cursor stands before TRUNCATE."""
    cursor.expect("TRUNCATE")
    cursor.accept("TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the table's name")
    cursor.expect_end()
    return TruncateTable(name, if_exists)
