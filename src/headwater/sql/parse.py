"""One statement's text to its dataclass, by the table of statements.

Text that starts like nothing of ours goes to Spark unchanged, as long as it starts like a statement
that Spark knows and that cannot change the lake behind the catalog's back.
"""

from __future__ import annotations

from headwater.errors import NotSupported, UserError
from headwater.names import did_you_mean
from headwater.sql.connections import (
    parse_alter_connection,
    parse_drop_connection,
    parse_other_connection,
)
from headwater.sql.create_kafka_table import parse_create_kafka_table
from headwater.sql.create_pipe import parse_replace_pipe
from headwater.sql.cursor import Cursor
from headwater.sql.parsers import PARSERS, Parser, Statement
from headwater.sql.query import parse_query, parse_spark_command
from headwater.sql.streams import (
    parse_alter_stream,
    parse_alter_table_stream,
)
from headwater.sql.tokens import Token

__all__ = ["PARSERS", "SPARK_COMMANDS", "Statement", "parse"]

# Statements of others that are refused with a word on what to type instead.
_REFUSED: dict[str, Parser] = {
    "ALTER CONNECTION": parse_alter_connection,
    "ALTER STORAGE CONNECTION": parse_alter_connection,
    "ALTER STREAM": parse_alter_stream,
    "ALTER TABLE STREAM": parse_alter_table_stream,
    "CREATE API CONNECTION": parse_other_connection,
    "CREATE CATALOG CONNECTION": parse_other_connection,
    "CREATE CONNECTION": parse_other_connection,
    "CREATE EXTERNAL CATALOG": parse_other_connection,
    "CREATE OR REPLACE EXTERNAL TABLE": parse_create_kafka_table,
    "CREATE OR REPLACE PIPE": parse_replace_pipe,
    "CREATE OR REPLACE STORAGE CONNECTION": parse_alter_connection,
    "DROP STORAGE CONNECTION": parse_drop_connection,
}

# Statements of Spark's that live and die with the session, or only read.
SPARK_COMMANDS = (
    "CACHE",
    "CLEAR CACHE",
    "CREATE GLOBAL TEMPORARY VIEW",
    "CREATE OR REPLACE TEMP FUNCTION",
    "CREATE OR REPLACE TEMP VIEW",
    "CREATE OR REPLACE TEMPORARY FUNCTION",
    "CREATE OR REPLACE TEMPORARY VIEW",
    "CREATE TEMP FUNCTION",
    "CREATE TEMP VIEW",
    "CREATE TEMPORARY FUNCTION",
    "CREATE TEMPORARY VIEW",
    "DECLARE",
    "DESC QUERY",
    "DROP TEMPORARY FUNCTION",
    "DROP TEMPORARY VARIABLE",
    "SET VAR",
    "SET VARIABLE",
    "SHOW FUNCTIONS",
    "UNCACHE",
)

_ALL: dict[tuple[str, ...], Parser] = {
    tuple(key.split()): parser
    for key, parser in (
        *PARSERS.items(),
        *((command, parse_spark_command) for command in SPARK_COMMANDS),
    )
}
_REFUSING = {tuple(key.split()): parser for key, parser in _REFUSED.items()}
_LONGEST = max(len(words) for words in (*_ALL, *_REFUSING))


def parse(text: str, tokens: list[Token] | None = None) -> Statement:
    """The statement that `text` holds; `text` is one statement without its semicolon."""
    cursor = Cursor(text, tokens)
    if cursor.at_end:
        raise UserError("EMPTY_STATEMENT")
    if cursor.at_symbol("("):
        return parse_query(cursor)
    words = tuple(_word(cursor, i) for i in range(_LONGEST))
    for length in range(_LONGEST, 0, -1):
        parser = _ALL.get(words[:length]) or _REFUSING.get(words[:length])
        if parser is not None:
            return parser(cursor)
    raise _unknown(cursor, words)


def _word(cursor: Cursor, ahead: int) -> str:
    word = cursor.peek(ahead).upper
    return "DESC" if word == "DESCRIBE" and ahead == 0 else word


_INSTEAD: dict[tuple[str, ...], str] = {
    (
        "CREATE",
        "EXTERNAL",
    ): "CREATE EXTERNAL VOLUME or EXTERNAL TABLE, or CREATE TABLE .. LOCATION '/a/folder'",
    ("DROP", "EXTERNAL"): "did you mean DROP VOLUME?",
    ("SHOW", "DYNAMIC"): "SHOW DYNAMIC TABLES, or SHOW DYNAMIC TABLE REFRESH HISTORY",
    (
        "SHOW",
        "MATERIALIZED",
    ): "SHOW MATERIALIZED VIEWS, or SHOW MATERIALIZED VIEW REFRESH HISTORY",
}


# Every statement commits by itself.
_TRANSACTIONS = frozenset({"BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT"})


def _with_ending(word: str, statements: list[str]) -> str | None:
    """The one statement that ends in a word, of which somebody left out what is before it."""
    found = [statement for statement in statements if statement.split()[-1] == word]
    return f"did you mean {found[0]}?" if len(found) == 1 else None


def _instead_of(token: Token) -> str:
    """What to write instead of something that no statement starts with."""
    if token.upper in _TRANSACTIONS:
        return "leave it out: there are no transactions, every statement commits by itself"
    if token.kind in ("number", "string"):
        return "to work an expression out, write SELECT before it"
    firsts = {key[0] for key in _ALL}
    return did_you_mean(token.text, firsts) or f"statements start with {', '.join(sorted(firsts))}"


def _unknown(cursor: Cursor, words: tuple[str, ...]) -> UserError:
    """Say how far the text looked like a statement, and what would have been one."""
    same_start = [" ".join(key) for key in _ALL if key[0] == words[0]]
    if not same_start:
        word = cursor.token.text
        hint = _instead_of(cursor.token)
        return UserError("UNKNOWN_STATEMENT", word=word, span=cursor.token.span, hint=hint)
    known = f"known are {', '.join(sorted(same_start))}"
    replaces = words[1:3] == ("OR", "REPLACE")
    last = cursor.peek(3 if replaces else 1)
    typed = cursor.text[cursor.token.start : last.end]
    near = None if last.kind == "end" else did_you_mean(typed, same_start, cutoff=0.85)
    if len(same_start) == 1:
        near = f"did you mean {same_start[0]}?"
    if replaces and ("CREATE", words[3]) in _ALL:
        near = f"it cannot be replaced: CREATE {words[3]}"
    near = _INSTEAD.get(words[:2]) or near or _with_ending(last.upper, same_start)
    return NotSupported("UNKNOWN_STATEMENT", word=typed, span=last.span, hint=near or known)
