"""Relations that Spark does not know, recognised by the words they start with.

`VOLUME v USING ..`, `DIRECTORY(VOLUME v)`, `LOAD_HISTORY('t')`, `READ_KAFKA(..)` and
`TABLE_CHANGES(..)`. A table may be called volume, user or directory: only what no query of Spark's
could mean is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.read_kafka import ReadKafka, parse_read_kafka
from headwater.sql.table_changes import TableChanges, parse_table_changes
from headwater.sql.tokens import Token
from headwater.sql.volume_refs import VolumeKind, VolumeRef, parse_volume_ref, volume_kind_at
from headwater.sql.volume_relation import VolumeRelation, parse_volume_relation


@dataclass(frozen=True, slots=True)
class DirectoryRelation:
    """DIRECTORY(VOLUME v): the directory table of a volume."""

    volume: VolumeRef

    def to_sql(self) -> str:
        """The relation in its canonical spelling."""
        return f"DIRECTORY({self.volume.to_sql()})"

    @property
    def alias(self) -> str:
        """What the text may call it when it gives no alias."""
        return "directory"


@dataclass(frozen=True, slots=True)
class LoadHistoryRelation:
    """LOAD_HISTORY('t'): which files were loaded into a table."""

    table: ObjectName
    table_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The relation in its canonical spelling."""
        return f"LOAD_HISTORY({quote_literal(str(self.table))})"

    @property
    def alias(self) -> str:
        """What the text may call it when it gives no alias."""
        return "load_history"


_Function: TypeAlias = DirectoryRelation | LoadHistoryRelation | ReadKafka | TableChanges
OwnRelation: TypeAlias = VolumeRelation | _Function

_FIRST_WORDS = frozenset(
    ("VOLUME", "TABLE", "USER", "DIRECTORY", "LOAD_HISTORY", "READ_KAFKA", "TABLE_CHANGES")
)


def take_own_relation(text: str, tokens: list[Token], place: int) -> tuple[OwnRelation, int] | None:
    """The relation of ours that starts at `place`, and the place behind it; None if none does."""
    if tokens[place].upper not in _FIRST_WORDS:
        return None
    cursor = Cursor(text, tokens)
    cursor.position = place
    # Table functions may be wrapped: TABLE(LOAD_HISTORY('t')).
    wrapped = cursor.at("TABLE") and _is(cursor.peek(1), "(")
    if wrapped:
        cursor.position += 2
    found = _function(cursor)
    if found is not None:
        if wrapped:
            cursor.expect_symbol(")")
        return found, cursor.position
    if wrapped or not _at_volume_relation(cursor):
        return None
    return parse_volume_relation(cursor), cursor.position


def _is(token: Token, symbol: str) -> bool:
    return token.kind == "symbol" and token.text == symbol


def _function(cursor: Cursor) -> _Function | None:
    if not _is(cursor.peek(1), "("):
        return None
    if cursor.at("DIRECTORY"):
        return _directory(cursor)
    if cursor.at("READ_KAFKA"):
        return parse_read_kafka(cursor)
    if cursor.at("TABLE_CHANGES"):
        return parse_table_changes(cursor)
    return _load_history(cursor) if cursor.at("LOAD_HISTORY") else None


def _directory(cursor: Cursor) -> DirectoryRelation:
    if volume_kind_at(cursor.tokens, cursor.position + 2) is None:
        raise UserError(
            "FUNCTION_ARGUMENT",
            function="DIRECTORY",
            expected="a volume",
            example="DIRECTORY(VOLUME <name>)",
            span=cursor.peek(2).span,
        )
    cursor.position += 2
    volume = parse_volume_ref(cursor)
    cursor.expect_symbol(")")
    return DirectoryRelation(volume)


def _load_history(cursor: Cursor) -> LoadHistoryRelation:
    argument = cursor.peek(2)
    if argument.kind != "string" or not _is(cursor.peek(3), ")"):
        raise UserError(
            "FUNCTION_ARGUMENT",
            function="LOAD_HISTORY",
            expected="the name of a table in quotes",
            example="LOAD_HISTORY('<schema>.<table>')",
            span=argument.span,
        )
    inner = Cursor(argument.value)
    try:
        table = inner.object_name("the table's name")
        inner.expect_end()
    except UserError as error:
        # Its place is one inside the quotes: point at all of them.
        error.span = argument.span
        raise
    cursor.position += 4
    return LoadHistoryRelation(table, argument.span)


def _at_volume_relation(cursor: Cursor) -> bool:
    """Whether a volume stands here with anything that a table and its alias cannot have."""
    tokens = cursor.tokens
    kind = volume_kind_at(tokens, cursor.position)
    if kind is None:
        return False
    place = cursor.position + (1 if kind is VolumeKind.NAMED else 2)
    if kind is not VolumeKind.USER:
        place += 1
        while _is(tokens[place], ".") and tokens[place + 1].is_name:
            place += 2
    if _is(tokens[place], "("):
        if tokens[place + 1].is_name and tokens[place + 2].kind == "word":
            return True  # columns with types; an alias has names alone
        place = _behind_parentheses(tokens, place)
    word, after = tokens[place].upper, tokens[min(place + 1, len(tokens) - 1)]
    if word in ("USING", "OPTIONS", "FILES"):
        return _is(after, "(") != (word == "USING")
    if word in ("SUBDIRECTORY", "REGEXP"):
        return after.kind == "string" or _is(after, "=")
    return False


def _behind_parentheses(tokens: list[Token], place: int) -> int:
    depth = 0
    while place < len(tokens) - 1:
        depth += _is(tokens[place], "(") - _is(tokens[place], ")")
        place += 1
        if depth == 0:
            break
    return place
