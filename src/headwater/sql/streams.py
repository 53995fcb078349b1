"""DROP, DESC and SHOW of table and volume streams; what cannot be done with a stream is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from headwater.errors import NotSupported
from headwater.names import ObjectName
from headwater.sql.alter_table import ACTIONS, AlterTable, parse_alter_table
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.drop import DropTable, parse_drop_table
from headwater.sql.show import parse_scope, scope_to_sql
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter


@dataclass(frozen=True, slots=True)
class DropTableStream:
    """DROP [TABLE] STREAM [IF EXISTS] s; what it watches stays."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP TABLE STREAM {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class DescTableStream:
    """DESC [TABLE] STREAM [EXTENDED] s."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC TABLE STREAM {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowTableStreams:
    """SHOW [TABLE] STREAMS [EXTENDED] [IN schema] [LIKE|WHERE] [LIMIT]."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        extended = " EXTENDED" if self.extended else ""
        return f"SHOW TABLE STREAMS{extended}{scope_to_sql(self.schema)}{self.filter.to_sql()}"


def parse_drop_table_stream(cursor: Cursor) -> DropTableStream | DropTable:
    """Read the statement; the cursor stands before DROP. A table may be called `stream`."""
    if not cursor.peek(3).is_name:
        return parse_drop_table(cursor)
    cursor.expect("DROP", "TABLE", "STREAM")
    return _drop(cursor)


def parse_drop_stream(cursor: Cursor) -> DropTableStream:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "STREAM")
    return _drop(cursor)


def _drop(cursor: Cursor) -> DropTableStream:
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the stream's name")
    cursor.expect_end()
    return DropTableStream(name, if_exists)


def parse_desc_table_stream(cursor: Cursor) -> DescTableStream | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `stream`."""
    words = 2 if cursor.peek(1).upper == "TABLE" else 1
    behind, last = cursor.peek(words + 1), cursor.peek(words + 2)
    if not behind.is_name or (behind.upper == "EXTENDED" and last.kind == "end"):
        return parse_desc_table(cursor)
    cursor.position += words + 1
    extended = cursor.at("EXTENDED") and cursor.peek(1).is_name and cursor.accept("EXTENDED")
    name = cursor.object_name("the stream's name")
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescTableStream(name, extended)


def parse_show_table_streams(cursor: Cursor) -> ShowTableStreams:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    cursor.accept("TABLE")
    cursor.expect("STREAMS")
    extended = cursor.accept("EXTENDED")
    schema = parse_scope(cursor)
    return ShowTableStreams(schema, parse_show_filter(cursor), extended)


def parse_alter_table_stream(cursor: Cursor) -> AlterTable:
    """Read an ALTER TABLE of a table that is called `stream`; a stream cannot be altered."""
    behind = cursor.peek(3)
    if behind.upper in ACTIONS or not behind.is_name:
        return parse_alter_table(cursor)
    raise NotSupported("STREAM_ALTERED", span=cursor.peek(2).span)


def parse_alter_stream(cursor: Cursor) -> NoReturn:
    """ALTER STREAM: there is none; say what to do instead."""
    raise NotSupported("STREAM_ALTERED", span=cursor.peek(1).span)
