"""Columns whose value is given once, when a row comes: `current_timestamp() AS loaded_at`.

A query with such columns is two: what its rows are, which is the query without them, and what each
new row is given besides. Only items of the outermost SELECT list that read no column can be taken
out, because then they are no part of what a row is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from headwater.errors import Span, UserError
from headwater.sql.determinism import all_not_deterministic
from headwater.sql.tokens import Token, tokenize

SETTING = "headwater.dynamic_table.allow_nondeterministic_projection"
"""The setting of a session under which CREATE DYNAMIC TABLE takes such columns."""
_ENDS = frozenset(("FROM", "WHERE", "GROUP", "HAVING", "QUALIFY"))
_REFUSED = {
    "DISTINCT": "SELECT DISTINCT",
    "UNION": "UNION",
    "INTERSECT": "INTERSECT",
    "EXCEPT": "EXCEPT",
    "MINUS": "MINUS",
    "ORDER": "ORDER BY",
    "LIMIT": "LIMIT",
}


@dataclass(frozen=True, slots=True)
class GivenColumn:
    """A column that a row is given when it comes."""

    name: str
    value: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class _Item:
    """One expression of the list; `comma` is the place of the comma behind it, if one is there."""

    tokens: tuple[Token, ...]
    comma: int | None

    @property
    def alias(self) -> Token | None:
        """The name behind AS."""
        named = len(self.tokens) > 2 and self.tokens[-2].upper == "AS" and self.tokens[-1].is_name
        return self.tokens[-1] if named else None

    @property
    def span(self) -> Span:
        """Its place."""
        return Span(self.tokens[0].start, self.tokens[-1].end)


def given_columns(text: str, *, columns: Collection[str]) -> tuple[GivenColumn, ...]:
    """The columns that are not deterministic and can be given; what cannot be is left to others.

    `columns` are the names of columns that can be meant.

    Raises:
        UserError: NOT_ONCE_PER_ROW where such a column stands in a query that cannot do without it.
    """
    tokens = tokenize(text)
    calls = {token.start for token in all_not_deterministic(tokens, columns=columns)}
    found = [item for item in _items(tokens) if calls & {token.start for token in item.tokens}]
    for item in found:
        _require_alone(item, tokens, columns)
    if found and len(found) == len(list(_items(tokens))):
        problem = "the query has no other column"
        raise UserError("NOT_ONCE_PER_ROW", problem=problem, span=found[0].span)
    return tuple(_given(text, item) for item in found)


def without_given(text: str, given: Sequence[str]) -> str:
    """The query without the columns of these names; every other character stays."""
    names = {name.lower() for name in given}
    items = list(_items(tokenize(text)))
    kept = [item for item in items if not _is_given(item, names)]
    if len(kept) == len(items):
        return text
    made, start = "", 0
    for place, item in enumerate(items):
        if not _is_given(item, names):
            continue
        # The comma before the item goes with it, or the one behind it if nothing stays before.
        before = [other for other in items[:place] if not _is_given(other, names)]
        cut = items[place - 1].comma if before else None
        begin = item.span.start if cut is None else cut
        end = item.span.end if cut is not None or item.comma is None else item.comma + 1
        made += text[start:begin]
        start = end
    return made + text[start:]


def _is_given(item: _Item, names: Collection[str]) -> bool:
    return item.alias is not None and item.alias.value.lower() in names


def _given(text: str, item: _Item) -> GivenColumn:
    assert item.alias is not None
    value = item.tokens[:-2]
    return GivenColumn(item.alias.value, text[value[0].start : value[-1].end], item.span)


def _require_alone(item: _Item, tokens: list[Token], columns: Collection[str]) -> None:
    problem = None
    outer = [token.upper for token, depth in _depths(tokens) if depth == 0]
    refused = [words for word, words in _REFUSED.items() if word in outer]
    known = {name.lower() for name in columns}
    if item.alias is None:
        problem = "it has no name: write AS behind it"
    elif any(token.is_name and token.value.lower() in known for token in item.tokens[:-2]):
        problem = "it is worked out from a column"
    elif any(token.upper == "SELECT" for token in item.tokens):
        problem = "it is a sub-query"
    elif refused:
        problem = f"the query has {refused[0]}"
    elif _counts_columns(tokens):
        problem = "GROUP BY counts columns: name them"
    if problem is not None:
        raise UserError("NOT_ONCE_PER_ROW", problem=problem, span=item.span)


def _counts_columns(tokens: list[Token]) -> bool:
    behind = False
    for token, depth in _depths(tokens):
        behind = behind or (depth == 0 and token.upper == "GROUP")
        if behind and depth == 0 and token.kind == "number":
            return True
    return False


def _items(tokens: list[Token]) -> Iterator[_Item]:
    """The items of the outermost SELECT list."""
    inside, item = False, list[Token]()
    for token, depth in _depths(tokens):
        if depth == 0 and token.upper == "SELECT" and not inside:
            inside = True
            continue
        if not inside:
            continue
        ended = token.kind == "end" or (depth == 0 and token.upper in _ENDS)
        if ended or (depth == 0 and token.text == ","):
            if item:
                yield _Item(tuple(item), None if ended else token.start)
            item = []
            if ended:
                return
        else:
            item.append(token)


def _depths(tokens: list[Token]) -> Iterator[tuple[Token, int]]:
    """Each token with how many parentheses stand open around it."""
    depth = 0
    for token in tokens:
        if token.text in (")", "]"):
            depth -= 1
        yield token, depth
        if token.text in ("(", "["):
            depth += 1
