"""Finding the calls of functions in a text, with their places, from its tokens alone.

A name and a parenthesis are a call only where an expression may begin: behind SELECT, an operator,
a comma and so on. A table with its columns, an alias with its columns, a common table expression,
a type in a cast and a table function are none. Whether the function exists is for others to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from headwater.errors import Span
from headwater.names import ObjectName
from headwater.sql.tokens import Token

# Words of the language that stand before a parenthesis, and relations and functions of our own.
NO_FUNCTIONS = frozenset(
    "ALL AND ANY ARRAY AS BETWEEN BY CASE CAST CUBE DIRECTORY DISTINCT ELSE END EXCEPT EXISTS"
    " EXTRACT FALSE FILTER FROM GET_PRESIGNED_URL GROUPING HAVING IDENTIFIER IF ILIKE IN INSERT"
    " INTERSECT INTERVAL INTO IS JOIN LATERAL LIKE LIMIT LOAD_HISTORY MAP MINUS NOT NULL OFFSET ON"
    " OPTIONS OR OVER OVERLAY PARTITION PIVOT POSITION QUALIFY READ_KAFKA REGEXP RETURN RLIKE"
    " ROLLUP SAFE_CAST SELECT SESSION_CONFIGS SET SETS SOME STRUCT SUBSTR SUBSTRING TABLE"
    " TABLESAMPLE TABLE_CHANGES"
    " THEN TRIM TRUE TRY_CAST UNION UNPIVOT USING VALUES WHEN WHERE WINDOW WITH WITHIN".split()
)
# Words behind which an expression may begin.
_BEFORE_EXPRESSION = frozenset(
    "AGGREGATE ALL AND BETWEEN BOTH BY CASE DISTINCT DIV ELSE ELSEIF ESCAPE EXTEND FOR FROM"
    " HAVING IF ILIKE IN INTERVAL LEADING LIKE LIMIT NOT OFFSET ON OR QUALIFY REGEXP RETURN"
    " RLIKE SELECT SOME THEN TRAILING UNTIL USING VALUES WHEN WHERE WHILE".split()
)
# Symbols behind which none may.
_AFTER_OPERAND = frozenset((")", "]", ".", "::", "?::"))
_CLAUSES = frozenset(
    "SELECT FROM JOIN WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW QUALIFY"
    " UNION INTERSECT ON LATERAL PIVOT UNPIVOT SET VALUES".split()
)
_RELATIONS = ("FROM", "JOIN")
_ENDS_ITEM = _CLAUSES | {"EXCEPT", "MINUS", "INTO", "INSERT"}
_ITEM_STARTS = ("SELECT", "DISTINCT", "ALL")
# FROM inside these functions separates arguments: extract(year FROM d), trim(both FROM s).
_FROM_FUNCTIONS = ("EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION")
_COMMANDS = ("UPDATE", "DELETE", "MERGE")
_LITERALS = frozenset("NULL TRUE FALSE AS DATE TIMESTAMP INTERVAL".split())
_MOST_PARTS = 3


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument: `span` is its value, `name` the word before `=>` where one stands there."""

    span: Span
    name: Token | None = None


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """One call: `span` is the function's name as typed, `end` the place behind the parenthesis."""

    name: ObjectName
    span: Span
    arguments: tuple[CallArgument, ...]
    end: int
    is_item: bool = False
    """Whether it is all of an item of a SELECT, without an alias."""
    is_constant: bool = False
    """Whether its arguments certainly read no column."""
    place: Literal["", "VALUES", "COMMAND"] = ""
    """Not empty where Spark takes no call without a column: VALUES, and UPDATE, DELETE, MERGE."""


@dataclass(slots=True)
class _Level:
    """One level of parentheses: the word before it, and the clause the scan is in."""

    opener: str = ""
    clause: str = ""


def find_function_calls(tokens: list[Token]) -> tuple[FunctionCall, ...]:
    """Every call in the order of the text; a call inside another's arguments comes after it."""
    found: list[FunctionCall] = []
    levels = [_Level()]
    for place, token in enumerate(tokens[:-1]):
        if _is(token, "("):
            levels.append(_Level(tokens[place - 1].upper if place else ""))
        elif _is(token, ")") and len(levels) > 1:
            levels.pop()
        elif token.is_name and not (place and _is(tokens[place - 1], ".")):
            call = _call(tokens, place, levels)
            if call is not None:
                found.append(call)
            _enter_clause(tokens, place, levels[-1])
    return tuple(found)


def _is(token: Token, symbol: str) -> bool:
    return token.kind == "symbol" and token.text == symbol


def _enter_clause(tokens: list[Token], place: int, level: _Level) -> None:
    word = tokens[place].upper
    if word not in _CLAUSES:
        return
    is_distinct = place > 0 and tokens[place - 1].upper == "DISTINCT"
    if word == "FROM" and (level.opener in _FROM_FUNCTIONS or is_distinct):
        return
    level.clause = "FROM" if word == "JOIN" else word


def _call(tokens: list[Token], place: int, levels: list[_Level]) -> FunctionCall | None:
    first, level = tokens[place], levels[-1]
    is_word = first.upper in NO_FUNCTIONS and not _is(tokens[place + 1], ".")
    if is_word or not _may_begin(tokens, place, level):
        return None
    parts = [first.value]
    last = place
    while _is(tokens[last + 1], ".") and tokens[last + 2].is_name:
        parts.append(tokens[last + 2].value)
        last += 2
    if len(parts) > _MOST_PARTS or not _is(tokens[last + 1], "("):
        return None
    arguments, behind = _arguments(tokens, last + 1)
    if behind is None or (tokens[behind].upper == "AS" and _is(tokens[behind + 1], "(")):
        return None
    return FunctionCall(
        ObjectName.of(*parts),
        Span(first.start, tokens[last].end),
        arguments,
        tokens[behind - 1].end,
        is_item=_is_item(tokens, place, behind, level),
        is_constant=_is_constant(tokens, last + 2, behind),
        place=_place(tokens, levels),
    )


def _place(tokens: list[Token], levels: list[_Level]) -> Literal["", "VALUES", "COMMAND"]:
    if tokens[0].upper in _COMMANDS:
        return "COMMAND"
    return "VALUES" if any(level.clause == "VALUES" for level in levels) else ""


def _is_constant(tokens: list[Token], first: int, behind: int) -> bool:
    """No name but those of functions, types behind AS, names of arguments, and plain literals."""
    for place in range(first, behind):
        token, before, after = tokens[place], tokens[place - 1], tokens[place + 1]
        is_call = _is(after, "(") and not _is(before, ".")
        is_other = before.upper == "AS" or _is(before, "::") or _is(after, "=>")
        if token.is_name and not (token.upper in _LITERALS or is_call or is_other):
            return False
    return True


def _may_begin(tokens: list[Token], place: int, level: _Level) -> bool:
    if place == 0:
        return False
    before = tokens[place - 1]
    if level.clause == "FROM" and (before.upper in _RELATIONS or _is(before, ",")):
        return False
    if before.kind == "symbol":
        return before.text not in _AFTER_OPERAND
    return before.upper in _BEFORE_EXPRESSION


def _is_item(tokens: list[Token], place: int, behind: int, level: _Level) -> bool:
    before, after = tokens[place - 1], tokens[behind]
    starts = before.upper in _ITEM_STARTS or _is(before, ",")
    ends = after.kind == "end" or _is(after, ",") or _is(after, ")") or after.upper in _ENDS_ITEM
    return level.clause == "SELECT" and starts and ends


def _arguments(tokens: list[Token], place: int) -> tuple[tuple[CallArgument, ...], int | None]:
    """The arguments of the parenthesis at `place`, and the place behind it, None if it is open."""
    found: list[CallArgument] = []
    depth, first, place = 1, place + 1, place + 1
    while tokens[place].kind != "end":
        token = tokens[place]
        if token.kind == "symbol":
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 or (depth == 1 and _is(token, ",")):
            if depth == 1 or found or first < place:
                found.append(_argument(tokens, first, place))
            first = place + 1
        place += 1
        if depth == 0:
            return tuple(found), place
    return tuple(found), None


def _argument(tokens: list[Token], first: int, behind: int) -> CallArgument:
    name = None
    if behind - first > 1 and tokens[first].is_name and _is(tokens[first + 1], "=>"):
        name = tokens[first]
        first += 2
    start = tokens[first].start
    return CallArgument(Span(start, max(start, tokens[behind - 1].end)), name)
