"""Whether a text may use the headers of Kafka's messages, which take time to read. Pure.

Law: a text that uses them is always told so; one that does not may be told so, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.sql.tokens import Token

_COLUMN = "headers"
_RELATION = "read_kafka"


def may_use_headers(tokens: Sequence[Token], relation_end: int, alias: str = _RELATION) -> bool:
    """Whether `headers` stands in the text, or a star that may stand for it.

    `relation_end` is where READ_KAFKA(..), with a TABLE(..) around it, or the name of a Kafka table
    ends; `alias` is its own name.
    """
    names = {alias.lower(), *_alias_behind(tokens, relation_end)}
    for place, token in enumerate(tokens):
        if token.is_name and token.value.lower() == _COLUMN:
            return True
        if _is_star(token) and _may_mean_all(tokens, place, names):
            return True
    return False


def _alias_behind(tokens: Sequence[Token], end: int) -> list[str]:
    """The names that stand behind the relation: the first of them, or the one behind AS."""
    behind = [token for token in tokens if token.start >= end]
    first, second = (*(token for token in behind[:2]), None, None)[:2]
    if first is None or not first.is_name:
        return []
    return [token.value.lower() for token in (first, second) if token is not None]


def _is_star(token: Token) -> bool:
    return token.kind == "symbol" and token.text == "*"


def _may_mean_all(tokens: Sequence[Token], place: int, names: set[str]) -> bool:
    before = tokens[place - 1] if place else None
    if before is None:
        return True
    if before.kind == "symbol" and before.text == ".":
        return tokens[place - 2].value.lower() in names
    if before.kind == "symbol" and before.text == "(":
        return tokens[place - 2].upper != "COUNT"
    return True
