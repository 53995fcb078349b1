"""Column types as users write them, turned into the text that Spark takes.

The documents use VARCHAR without a length, JSON and TIMESTAMP_LTZ everywhere: they become STRING,
VARIANT and TIMESTAMP.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.errors import NotSupported
from headwater.names import quote_identifier, quote_literal
from headwater.sql.cursor import Cursor

_PLAIN = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "BYTE": "TINYINT",
    "SMALLINT": "SMALLINT",
    "SHORT": "SMALLINT",
    "INT": "INT",
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "LONG": "BIGINT",
    "FLOAT": "FLOAT",
    "REAL": "FLOAT",
    "DOUBLE": "DOUBLE",
    "STRING": "STRING",
    "TEXT": "STRING",
    "BINARY": "BINARY",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP_LTZ": "TIMESTAMP",
    "TIMESTAMP_NTZ": "TIMESTAMP_NTZ",
    "JSON": "VARIANT",
    "VARIANT": "VARIANT",
}
_DECIMALS = ("DECIMAL", "DEC", "NUMERIC")
_TEXTS = ("VARCHAR", "CHAR", "CHARACTER")
TYPE_WORDS = frozenset((*_PLAIN, *_DECIMALS, *_TEXTS, "ARRAY", "MAP", "STRUCT"))
"""The words that a type of a column may start with."""


def parse_type(cursor: Cursor) -> str:
    """Take a type and give back its Spark text."""
    token = cursor.token
    if token.kind != "word":
        cursor.fail_expected("a type")
    word = cursor.advance().upper
    if word in _PLAIN:
        if word == "DOUBLE":
            cursor.accept("PRECISION")
        if word == "STRING":
            _collation(cursor)
        return _PLAIN[word]
    if word in _DECIMALS:
        return "DECIMAL" + (_arguments(cursor) or "(10,0)")
    if word in _TEXTS:
        arguments = _arguments(cursor)
        if not arguments:
            return "STRING"
        return ("VARCHAR" if word == "VARCHAR" else "CHAR") + arguments
    if word == "ARRAY":
        return f"ARRAY<{_in_brackets(cursor, parse_type)}>"
    if word == "MAP":
        return f"MAP<{_in_brackets(cursor, _map_types)}>"
    if word == "STRUCT":
        return f"STRUCT<{_in_brackets(cursor, _fields)}>"
    raise NotSupported("TYPE_NOT_SUPPORTED", type=token.text, span=token.span)


def _arguments(cursor: Cursor) -> str:
    if not cursor.at_symbol("("):
        return ""
    numbers = cursor.comma_list(Cursor.integer)
    return "(" + ",".join(str(number) for number in numbers) + ")"


def _collation(cursor: Cursor) -> None:
    if cursor.accept("COLLATE"):
        cursor.fail("collations are not supported")


def _in_brackets(cursor: Cursor, inner: Callable[[Cursor], str]) -> str:
    cursor.expect_symbol("<")
    text = inner(cursor)
    cursor.expect_symbol(">")
    return text


def _map_types(cursor: Cursor) -> str:
    key = parse_type(cursor)
    cursor.expect_symbol(",")
    return f"{key}, {parse_type(cursor)}"


def _fields(cursor: Cursor) -> str:
    fields = [_field(cursor)]
    while cursor.accept_symbol(","):
        fields.append(_field(cursor))
    return ", ".join(fields)


def _field(cursor: Cursor) -> str:
    name = quote_identifier(cursor.name("a field name"))
    cursor.accept_symbol(":")
    text = f"{name}: {parse_type(cursor)}"
    if cursor.accept("NOT", "NULL"):
        text += " NOT NULL"
    if cursor.accept("COMMENT"):
        text += " COMMENT " + quote_literal(cursor.string())
    return text
