"""SHOW TABLES, VIEWS, SCHEMAS, COLUMNS and SHOW CREATE TABLE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

_FILTER_WORDS = ("LIKE", "WHERE", "LIMIT")


@dataclass(frozen=True, slots=True)
class ShowTables:
    """SHOW TABLES [IN schema] [LIKE|WHERE] [LIMIT]."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW TABLES{scope_to_sql(self.schema)}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowTablesHistory:
    """SHOW TABLES HISTORY [IN schema] ..: tables that are, and those that can be undropped."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW TABLES HISTORY{scope_to_sql(self.schema)}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowViews:
    """SHOW VIEWS [IN schema] [LIKE|WHERE] [LIMIT]."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW VIEWS{scope_to_sql(self.schema)}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowSchemas:
    """SHOW SCHEMAS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW SCHEMAS{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowColumns:
    """SHOW COLUMNS IN t [LIKE|WHERE] [LIMIT]."""

    table: ObjectName
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW COLUMNS IN {self.table}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowPartitions:
    """SHOW PARTITIONS [EXTENDED] t [LIKE|WHERE] [LIMIT]."""

    table: ObjectName
    extended: bool = False
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        extended = "EXTENDED " if self.extended else ""
        return f"SHOW PARTITIONS {extended}{self.table}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowCreateTable:
    """SHOW CREATE TABLE t (or VIEW v)."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW CREATE TABLE {self.name}"


def scope_to_sql(schema: ObjectName | None) -> str:
    """` IN schema`, or nothing."""
    return f" IN {schema}" if schema is not None else ""


def parse_scope(cursor: Cursor) -> ObjectName | None:
    """Take `IN [SCHEMA] s` if it stands here."""
    if not cursor.accept("IN") and not cursor.accept("FROM"):
        return None
    if cursor.at("SCHEMA") and cursor.peek(1).is_name:
        cursor.advance()
    return cursor.object_name("a schema")


def parse_workspace_scope(cursor: Cursor) -> ObjectName | None:
    """Take `IN WORKSPACE w` if it stands here; a schema may be called workspace."""
    after = cursor.peek(2)
    is_scope = cursor.at("IN", "WORKSPACE") or cursor.at("FROM", "WORKSPACE")
    if not is_scope or not after.is_name or after.upper in _FILTER_WORDS:
        return None
    cursor.position += 2
    return ObjectName.of(cursor.name("a workspace"))


def parse_show_tables(cursor: Cursor) -> ShowTables | ShowTablesHistory:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TABLES")
    history = cursor.accept("HISTORY")
    schema = parse_scope(cursor)
    tail = parse_show_filter(cursor)
    return ShowTablesHistory(schema, tail) if history else ShowTables(schema, tail)


def parse_show_views(cursor: Cursor) -> ShowViews:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "VIEWS")
    schema = parse_scope(cursor)
    return ShowViews(schema, parse_show_filter(cursor))


def parse_show_schemas(cursor: Cursor) -> ShowSchemas:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    cursor.one_of(("SCHEMAS", "DATABASES"))
    return ShowSchemas(parse_show_filter(cursor))


def parse_show_columns(cursor: Cursor) -> ShowColumns:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "COLUMNS")
    cursor.one_of(("IN", "FROM"))
    table = cursor.object_name("the table's name")
    return ShowColumns(table, parse_show_filter(cursor))


def parse_show_partitions(cursor: Cursor) -> ShowPartitions:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "PARTITIONS")
    extended = cursor.at("EXTENDED") and cursor.peek(1).is_name
    if extended:
        cursor.advance()
    if cursor.at("IN") or cursor.at("FROM"):
        cursor.advance()
    table = cursor.object_name("the table's name")
    return ShowPartitions(table, extended, parse_show_filter(cursor))


def parse_show_create_table(cursor: Cursor) -> ShowCreateTable:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "CREATE")
    if cursor.at("DYNAMIC", "TABLE") or cursor.at("MATERIALIZED", "VIEW"):
        cursor.advance()
    cursor.one_of(("TABLE", "VIEW"))
    name = cursor.object_name("the table's name")
    cursor.expect_end()
    return ShowCreateTable(name)
