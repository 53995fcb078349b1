"""CREATE TABLE STREAM s ON TABLE t, and CREATE STREAM s ON VOLUME v: what is watched, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, quote_literal
from headwater.sql.assignments import Assignment, parse_assignments, unknown_option
from headwater.sql.create_table import CreateTable, parse_create_table
from headwater.sql.cursor import Cursor

STANDARD, APPEND_ONLY = "STANDARD", "APPEND_ONLY"
MODE, INITIAL_ROWS = "TABLE_STREAM_MODE", "SHOW_INITIAL_ROWS"
_CLAUSES = ("TIMESTAMP", "COMMENT", "WITH", "PROPERTIES")
# What can follow the name of a table that is called `stream`.
_OF_TABLES = frozenset(
    "USING AS LIKE PARTITIONED CLUSTERED CLUSTER COMMENT LOCATION WITH PROPERTIES TBLPROPERTIES"
    " OPTIONS SELECT".split()
)


@dataclass(frozen=True, slots=True)
class CreateTableStream:
    """CREATE [OR REPLACE] TABLE STREAM s ON TABLE t ..; `timestamp` is an expression as typed."""

    name: ObjectName
    table: ObjectName
    mode: str
    show_initial_rows: bool = False
    timestamp: str | None = None
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)
    table_span: Span | None = field(default=None, compare=False)
    timestamp_span: Span | None = field(default=None, compare=False)
    mode_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = _head("TABLE STREAM", self.name, self.or_replace, self.if_not_exists)
        lines = [f"{head} ON TABLE {self.table}"]
        if self.timestamp is not None:
            lines.append(f"TIMESTAMP AS OF {self.timestamp}")
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        initial = f", '{INITIAL_ROWS}' = 'TRUE'" if self.show_initial_rows else ""
        return "\n".join([*lines, f"WITH PROPERTIES ('{MODE}' = '{self.mode}'{initial})"])


@dataclass(frozen=True, slots=True)
class CreateVolumeStream:
    """CREATE [OR REPLACE] STREAM s ON VOLUME v ..; its mode is always STANDARD."""

    name: ObjectName
    volume: ObjectName
    or_replace: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    name_span: Span | None = field(default=None, compare=False)
    volume_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = _head("STREAM", self.name, self.or_replace, self.if_not_exists)
        lines = [f"{head} ON VOLUME {self.volume}"]
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        return "\n".join([*lines, f"WITH PROPERTIES ('{MODE}' = '{STANDARD}')"])


def _head(kind: str, name: ObjectName, or_replace: bool, if_not_exists: bool) -> str:
    verb = "CREATE OR REPLACE" if or_replace else "CREATE"
    return f"{verb} {kind} {'IF NOT EXISTS ' if if_not_exists else ''}{name}"


@dataclass(slots=True)
class _Clauses:
    """What stands behind the source, in any order; None is not there."""

    timestamp: str | None = None
    timestamp_span: Span | None = None
    comment: str | None = None
    properties: tuple[Assignment, ...] | None = None


def parse_create_table_stream(cursor: Cursor) -> CreateTableStream | CreateTable:
    """Read the statement; the cursor stands before CREATE. A table may be called `stream`."""
    if _is_table(cursor):
        return parse_create_table(cursor)
    start = cursor.token.start
    or_replace, if_not_exists = _verb(cursor, "TABLE", "STREAM")
    name, name_span = _name(cursor, "the stream's name")
    cursor.expect("ON")
    if cursor.at("VOLUME"):
        hint = "write CREATE STREAM <stream> ON VOLUME <volume>"
        cursor.fail("a TABLE STREAM watches a table", hint=hint)
    if cursor.at("VIEW"):
        raise NotSupported("STREAM_ON_VIEW", span=cursor.token.span)
    cursor.one_of(("TABLE",))
    table, table_span = _name(cursor, "the table's name")
    clauses = _read_clauses(cursor)
    properties = {a.name.upper(): a for a in clauses.properties or ()}
    for assignment in properties.values():
        if assignment.name.upper() not in (MODE, INITIAL_ROWS):
            raise unknown_option(assignment, owner="a table stream", known=(MODE, INITIAL_ROWS))
    if MODE not in properties:
        raise UserError("STREAM_MODE_MISSING", span=Span(start, table_span.end))
    mode = properties[MODE]
    if mode.value.upper() not in (STANDARD, APPEND_ONLY):
        raise mode.rejected(f"{STANDARD} or {APPEND_ONLY}")
    return CreateTableStream(
        name,
        table,
        mode.value.upper(),
        INITIAL_ROWS in properties and properties[INITIAL_ROWS].boolean(),
        clauses.timestamp,
        clauses.comment,
        or_replace,
        if_not_exists,
        name_span,
        table_span,
        clauses.timestamp_span,
        mode.value_span,
    )


def parse_create_stream(cursor: Cursor) -> CreateVolumeStream:
    """Read the statement; the cursor stands before CREATE."""
    or_replace, if_not_exists = _verb(cursor, "STREAM")
    name, name_span = _name(cursor, "the stream's name")
    cursor.expect("ON")
    if cursor.at("TABLE"):
        hint = "did you mean CREATE TABLE STREAM <stream> ON TABLE <table>?"
        cursor.fail("a STREAM watches a volume", hint=hint)
    cursor.one_of(("VOLUME",))
    volume, volume_span = _name(cursor, "the volume's name")
    clauses = _read_clauses(cursor)
    if clauses.timestamp_span is not None:
        raise NotSupported("VOLUME_STREAM_TIMESTAMP", span=clauses.timestamp_span)
    for assignment in clauses.properties or ():
        if assignment.name.upper() != MODE:
            raise unknown_option(assignment, owner="a volume stream", known=(MODE,))
        if assignment.value.upper() != STANDARD:
            raise assignment.rejected(f"{STANDARD}, which is the only mode of a volume stream")
    return CreateVolumeStream(
        name, volume, or_replace, if_not_exists, clauses.comment, name_span, volume_span
    )


def _is_table(cursor: Cursor) -> bool:
    """Whether STREAM is the name of a table, or of its schema, told by what follows it."""
    behind = cursor.peek(5 if cursor.peek(1).upper == "OR" else 3)
    return not behind.is_name or behind.upper in _OF_TABLES


def _verb(cursor: Cursor, *kind: str) -> tuple[bool, bool]:
    """Take everything up to the name: whether it replaces, and whether it may exist."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect(*kind)
    guard = cursor.token.span
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=guard)
    return or_replace, if_not_exists


def _name(cursor: Cursor, what: str) -> tuple[ObjectName, Span]:
    start = cursor.token.start
    name = cursor.object_name(what)
    return name, Span(start, cursor.tokens[cursor.position - 1].end)


def _read_clauses(cursor: Cursor) -> _Clauses:
    read = _Clauses()
    seen: set[str] = set()
    while not cursor.at_end:
        token = cursor.token
        word = cursor.one_of(_CLAUSES)
        if word == "WITH":
            word = "PROPERTIES"
            cursor.expect(word)
        if word in seen:
            raise UserError("SYNTAX_ERROR", problem=f"{word} stands here twice", span=token.span)
        seen.add(word)
        if word == "TIMESTAMP":
            cursor.expect("AS", "OF")
            read.timestamp, read.timestamp_span = _expression(cursor)
        elif word == "COMMENT":
            cursor.accept_symbol("=")
            read.comment = cursor.string()
        else:
            read.properties = parse_assignments(cursor)
    return read


def _expression(cursor: Cursor) -> tuple[str, Span]:
    """Everything up to the next clause outside parentheses, or the end."""
    start, depth = cursor.token.start, 0
    if cursor.at_end or cursor.token.upper in ("COMMENT", "WITH", "PROPERTIES"):
        cursor.fail_expected("a timestamp")
    while not cursor.at_end:
        if depth == 0 and cursor.token.upper in ("COMMENT", "WITH", "PROPERTIES"):
            break
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    span = Span(start, cursor.tokens[cursor.position - 1].end)
    return cursor.text[span.start : span.end], span
