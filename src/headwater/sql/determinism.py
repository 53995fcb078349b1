"""Functions whose value depends on more than their arguments, found in a query's tokens.

A dynamic table must be the answer of its query whenever it is asked, so it may not call them;
`current_date` alone is allowed, because a refresh knows which day it was the last time.
"""

from __future__ import annotations

from collections.abc import Collection

from headwater.sql.function_calls import find_function_calls
from headwater.sql.tokens import Token

# Each may be called with a parenthesis behind it.
NOT_DETERMINISTIC = frozenset(
    "RAND RANDN RANDOM RANDSTR UNIFORM UUID SHUFFLE"
    " CURRENT_TIMESTAMP NOW LOCALTIMESTAMP CURRENT_TIME LOCALTIME"
    " MONOTONICALLY_INCREASING_ID SPARK_PARTITION_ID"
    " INPUT_FILE_NAME INPUT_FILE_BLOCK_START INPUT_FILE_BLOCK_LENGTH"
    " CURRENT_USER SESSION_USER USER CURRENT_CATALOG CURRENT_DATABASE CURRENT_SCHEMA"
    " CURRENT_VCLUSTER"
    " CURRENT_TIMEZONE CURRENT_PATH VERSION REFLECT JAVA_METHOD TRY_REFLECT".split()
)
# Spark takes these without a parenthesis too, unless a column has the name.
_BARE = frozenset(
    "CURRENT_TIMESTAMP LOCALTIMESTAMP CURRENT_TIME LOCALTIME CURRENT_USER SESSION_USER USER".split()
)
# Without an argument they give the present time.
_OF_NOW = frozenset(("UNIX_TIMESTAMP",))


def find_not_deterministic(tokens: list[Token], *, columns: Collection[str]) -> Token | None:
    """The first such function, or None; `columns` are the names of columns that can be meant."""
    found = all_not_deterministic(tokens, columns=columns)
    return min(found, key=lambda token: token.start, default=None)


def all_not_deterministic(tokens: list[Token], *, columns: Collection[str]) -> list[Token]:
    """Every such function."""
    places = {token.start: token for token in tokens}
    found = [
        places[call.span.start]
        for call in find_function_calls(tokens)
        if call.name.schema is None and _changes(call.name.name.upper(), len(call.arguments))
    ]
    known = {name.lower() for name in columns}
    found += [
        token
        for place, token in enumerate(tokens)
        if token.upper in _BARE
        and token.value.lower() not in known
        and _stands_alone(tokens, place)
    ]
    found += [token for token in tokens if token.upper == "TABLESAMPLE"]
    return found


def _changes(name: str, arguments: int) -> bool:
    return name in NOT_DETERMINISTIC or (name in _OF_NOW and arguments == 0)


def _stands_alone(tokens: list[Token], place: int) -> bool:
    """Whether the word is an expression: no part of a name, no alias, no call."""
    before, after = tokens[place - 1] if place else None, tokens[min(place + 1, len(tokens) - 1)]
    if after.text in (".", "("):
        return False
    if before is None or before.text == "." or before.upper == "AS":
        return False
    # An alias without AS stands behind an operand.
    return not (before.is_name and before.upper not in _BEFORE) and before.text != ")"


_BEFORE = frozenset(
    "SELECT DISTINCT ALL WHERE AND OR NOT ON HAVING QUALIFY BY WHEN THEN ELSE CASE BETWEEN IN LIKE"
    " IS EXCEPT UNION INTERSECT".split()
)
