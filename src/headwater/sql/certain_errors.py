"""Mistakes in a query that need no Spark to be seen.

Law: what is refused here, Spark refuses too. Spark takes almost every keyword for a name where that
makes sense of a text: `SELECT * FROM t WHERE` reads a table under the name `where`. So a rule
looks only at neighbours that fit nowhere in its grammar, whatever is a name among them. What no
rule finds may still be wrong, and Spark says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from headwater.errors import UserError
from headwater.names import did_you_mean
from headwater.sql.relations import find_relations
from headwater.sql.spark_keywords import SPARK_KEYWORDS
from headwater.sql.tokens import Token

_QUERIES = frozenset(("SELECT", "WITH", "FROM", "VALUES"))
_CLAUSES = ("FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "JOIN", "UNION")
# A text with one of these has rules of its own.
_UNUSUAL = frozenset(("LATERAL", "TRANSFORM", "MAP", "REDUCE", "MATCH_RECOGNIZE", "CHANGES"))
_SYMBOLS = frozenset(
    ", . ( ) [ ] = == != <> < > <= >= <=> + - * / % || & | ^ ~ ! : :: -> =>".split()
)
# Signs with something on either side. Those of types, as in ARRAY<INT>, are not among them.
_BETWEEN = frozenset(("=", "==", "!=", "<=", ">=", "<=>", "/", "%", "||", "&", "^"))
_BEFORE_OPERAND = _BETWEEN | {"+", "-", ","}
_JOINING = frozenset(("AND", "OR"))
_CONDITIONS = frozenset(("WHERE", "HAVING", "ON"))
_PARTS = _CONDITIONS | frozenset(
    "SELECT FROM GROUP ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW QUALIFY JOIN AS".split()
)
_WITH_BY = frozenset(("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"))
_VALUES = frozenset(("NULL", "TRUE", "FALSE", "END"))


@dataclass(frozen=True, slots=True)
class _Words:
    """The tokens of a text, the depth of parentheses of each, and which of them we look at."""

    tokens: list[Token]
    depths: list[int]

    def at(self, place: int) -> Token:
        """A token; behind the last one and before the first one is the end."""
        return self.tokens[place if 0 <= place < len(self.tokens) else -1]

    def upper(self, place: int) -> str:
        """A keyword; a word behind a point is a name."""
        return "" if self.symbol(place - 1, ".") else self.at(place).upper

    def symbol(self, place: int, text: str) -> bool:
        token = self.at(place)
        return token.kind == "symbol" and token.text == text

    def closes(self, place: int) -> bool:
        """Whether the query, or the part of it in parentheses, is over here."""
        return self.at(place).kind == "end" or self.symbol(place, ")")

    def name(self, place: int) -> bool:
        """Whether this can be nothing but a name."""
        token = self.at(place)
        return token.kind == "quoted" or (
            token.kind == "word" and token.upper not in SPARK_KEYWORDS
        )

    def value(self, place: int) -> bool:
        """Whether this can be nothing but a name, a number or a text."""
        return self.name(place) or self.at(place).kind in ("number", "string")

    def operand(self, place: int) -> bool:
        """Whether an expression or a relation ends here, or might."""
        if self.value(place) or self.symbol(place, ")") or self.symbol(place, "]"):
            return True
        if self.symbol(place, "*"):
            return self.upper(place - 1) == "SELECT" or self.at(place - 1).text in (",", ".")
        return self.symbol(place - 1, ".") or self.upper(place) in _VALUES

    def at_depth(self, place: int) -> Iterator[int]:
        """The places before this one in the same parentheses, the nearest first."""
        for before in range(place - 1, -1, -1):
            if self.depths[before] < self.depths[place]:
                return
            if self.depths[before] == self.depths[place]:
                yield before


_Rule = Callable[[_Words, int], UserError | None]


def certain_error(text: str, tokens: list[Token]) -> UserError | None:
    """The first mistake of a query that Spark would refuse as well, if one is seen."""
    words = _prepared(text, _query(tokens))
    if words is None:
        return None
    places = range(len(words.tokens) - 1)
    found = (rule(words, place) for place in places for rule in _RULES)
    return next((error for error in found if error is not None), None)


def _query(tokens: list[Token]) -> list[Token]:
    """The tokens of a query, also of the one whose rows an INSERT takes; none for other texts."""
    first = tokens[0]
    if first.upper in _QUERIES or first.text == "(":
        return tokens
    if first.upper == "INSERT":
        depths = _depths(tokens)
        for place, token in enumerate(tokens):
            if not depths[place] and token.upper in ("SELECT", "WITH"):
                return tokens[place:]
    return tokens[-1:]


def _prepared(text: str, tokens: list[Token]) -> _Words | None:
    """The tokens without hints, with a name for each relation of ours; None if it is unusual."""
    if len(tokens) < 2:
        return None
    relations = find_relations(text, tokens)
    ours = [*(own.span for own in relations.own), *(shown.span for shown in relations.statements)]
    kept: list[Token] = []
    for token in tokens:
        inside = [span for span in ours if span.start <= token.start < span.end]
        if inside and token.start == inside[0].start:
            kept.append(Token("quoted", "`r`", "r", inside[0].start, inside[0].end))
        elif not inside and not token.text.startswith("/*+"):
            kept.append(token)
    if any(_is_unusual(token) for token in kept) or any(
        one.kind == "number" and other.kind == "word" and one.end == other.start
        for one, other in pairwise(kept)
    ):
        # The last is a name such as `1t`, which comes here in two pieces.
        return None
    return _Words(kept, _depths(kept))


def _is_unusual(token: Token) -> bool:
    unknown = token.kind == "symbol" and token.text not in _SYMBOLS
    return unknown or token.upper in _UNUSUAL or token.kind == "parameter"


def _depths(tokens: list[Token]) -> list[int]:
    depths: list[int] = []
    depth = 0
    for token in tokens:
        opens, closes = token.text == "(", token.text == ")"
        depth -= closes and token.kind == "symbol"
        depths.append(depth)
        depth += opens and token.kind == "symbol"
    return depths


def _missing_operand(words: _Words, place: int) -> UserError | None:
    """`a = , b`, `(a, )`, `(, a)`."""
    token, following = words.at(place), words.at(place + 1)
    if token.kind != "symbol" or token.text not in (*_BEFORE_OPERAND, "("):
        return None
    wrong = following.kind == "symbol" and following.text in {*_BETWEEN, ","}
    if token.text != "(":
        wrong = wrong or words.closes(place + 1)
    return _error(f"something is missing after {token.text}", token) if wrong else None


def _third_name(words: _Words, place: int) -> UserError | None:
    """`a FORM t`: a name behind an expression is its new name, and nothing follows that."""
    if not words.operand(place) or not words.name(place + 1) or words.symbol(place + 2, "."):
        return None
    third = words.at(place + 2)
    if not words.value(place + 2) and words.upper(place + 2) != "BY":
        return None
    second = words.at(place + 1)
    by = " BY" if third.upper == "BY" else ""
    hint = did_you_mean(f"{second.text.upper()}{by}", _CLAUSES)
    return _error(f"{third.text} is not expected after {second.text}", third, hint=hint)


def _nothing_behind(words: _Words, place: int) -> UserError | None:
    """`FROM t a WHERE`: a table has one other name, so WHERE is no second one."""
    named = words.operand(place) and words.name(place + 1)
    last = words.at(place + 2)
    if named and words.upper(place + 2) in SPARK_KEYWORDS and words.closes(place + 3):
        return _error(f"something is missing after {last.text}", last)
    return None


def _no_by(words: _Words, place: int) -> UserError | None:
    """`t GROUP k`, `t ORDER BY` and nothing more."""
    word = words.at(place + 1)
    if not words.operand(place) or words.upper(place + 1) not in _WITH_BY:
        return None
    if word.upper in ("GROUP", "ORDER") and words.value(place + 2):
        return _error(f"expected BY after {word.text}", words.at(place + 2))
    if words.upper(place + 2) == "BY" and words.closes(place + 3):
        return _error(f"something is missing after {word.text} BY", words.at(place + 2))
    return None


def _two_froms(words: _Words, place: int) -> UserError | None:
    """`SELECT a FROM t FROM u`, with or without other names for the tables."""
    if not words.operand(place) or words.upper(place + 1) != "FROM" or not words.name(place + 2):
        return None
    second = place + (4 if words.name(place + 3) else 3)
    if words.upper(second) == "FROM" and words.name(second + 1):
        return _error("a query has one FROM", words.at(second))
    return None


def _join_without_table(words: _Words, place: int) -> UserError | None:
    """`t JOIN ON t.a = u.a`."""
    if not words.operand(place) or words.upper(place + 1) != "JOIN":
        return None
    if words.upper(place + 2) != "ON" or not words.name(place + 3):
        return None
    if words.at(place + 4).kind == "symbol" and words.at(place + 4).text in {*_BETWEEN, "."}:
        return _error("expected a table after JOIN", words.at(place + 2))
    return None


def _nothing_joined(words: _Words, place: int) -> UserError | None:
    """`WHERE a = 1 AND`, `WHERE a = 1 AND ORDER BY a`: in a condition nothing is named AND."""
    if words.upper(place) not in _JOINING or not words.operand(place - 1):
        return None
    ends = words.closes(place + 1)
    if not ends and not (words.upper(place + 1) in _WITH_BY and words.upper(place + 2) == "BY"):
        return None
    parts = (before for before in words.at_depth(place) if words.upper(before) in _PARTS)
    part = next(parts, None)
    # Unless it stands behind a table or its name, WHERE might be one itself.
    sure = part is not None and words.operand(part - 1) and words.value(part + 1)
    if sure and words.upper(part or 0) in _CONDITIONS:
        token = words.at(place)
        return _error(f"something is missing after {token.text}", token)
    return None


def _case_without_end(words: _Words, place: int) -> UserError | None:
    """`CASE WHEN a THEN b`: as many END as CASE must follow in the same parentheses."""
    if words.upper(place) != "CASE" or words.upper(place + 1) != "WHEN":
        return None
    if not words.value(place + 2):
        return None
    opened = 0
    for later in range(place, len(words.tokens) - 1):
        if words.depths[later] < words.depths[place]:
            break
        if words.depths[later] == words.depths[place]:
            opened += words.upper(later) == "CASE" and words.upper(later + 1) == "WHEN"
            opened -= words.at(later).upper == "END"
            if opened <= 0:
                return None
    return _error("this CASE has no END", words.at(place))


def _no_columns(words: _Words, place: int) -> UserError | None:
    """`SELECT FROM t`, `SELECT a, FROM t`: Spark takes FROM for a column, of no table."""
    before = words.at(place - 1)
    if words.upper(place) != "FROM" or words.depths[place] or not words.name(place + 1):
        return None
    if place == 0 or not (words.upper(place - 1) == "SELECT" or before.text == ","):
        return None
    outside = [words.at(i) for i in range(len(words.tokens)) if not words.depths[i]]
    kinds = [token.upper for token in outside]
    named = any(t.kind == "quoted" and t.value.lower() == "from" for t in words.tokens)
    if named or kinds.count("FROM") != 1 or kinds.count("SELECT") != 1:
        return None
    return _error(f"expected an expression between {before.text} and FROM", words.at(place))


_RULES: tuple[_Rule, ...] = (
    _missing_operand,
    _no_columns,
    _two_froms,
    _no_by,
    _join_without_table,
    _nothing_joined,
    _case_without_end,
    _third_name,
    _nothing_behind,
)


def _error(problem: str, token: Token, *, hint: str | None = None) -> UserError:
    return UserError("SYNTAX_ERROR", problem=problem, span=token.span, hint=hint)
