"""The words of a statement with their places in the text.

Invariant: `text[token.start:token.end] == token.text`, so anything can be replaced by position
while every other character reaches Spark exactly as it was typed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sqlglot.errors import TokenError
from sqlglot.tokens import TokenType

from headwater.errors import Span, UserError
from headwater.sql.dialect import Words
from headwater.sql.string_literals import DOLLARS, decode_string

Kind = Literal["word", "quoted", "string", "number", "symbol", "parameter", "end"]

_STRINGS = {
    TokenType.STRING,
    TokenType.RAW_STRING,
    TokenType.NATIONAL_STRING,
    TokenType.HEX_STRING,
    TokenType.BIT_STRING,
    TokenType.BYTE_STRING,
    TokenType.UNICODE_STRING,
    TokenType.HEREDOC_STRING,
}
# Decoded by Spark's rules, which differ from sqlglot's: `\\n` is a line end, `\\_` stays as it is.
_TEXTS = {TokenType.STRING, TokenType.RAW_STRING}
_CLOSINGS = {"--": "\n", "/*": "*/", DOLLARS: DOLLARS, "'": "'", '"': '"', "`": "`"}
_WORD = re.compile(r"\w[\w$]*\Z", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, quoted name, string, number or symbol."""

    kind: Kind
    text: str
    value: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """The word in upper case; empty for anything but a plain word."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return Span(self.start, self.end)

    @property
    def is_name(self) -> bool:
        """Whether it can be an identifier."""
        return self.kind in ("word", "quoted")


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, closed by one of kind `end`; comments are left out."""
    return list(_tokens(text))


@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[Token, ...]:
    """Kept for a while, because one statement is looked at from several sides."""
    try:
        raw = Words().tokenize(text)
    except TokenError:
        raise _unclosed(text) from None
    tokens: list[Token] = []
    for item in raw:
        # `1.5BD` arrives as three tokens at one place (a number and a cast): the first has it all.
        if tokens and item.start < tokens[-1].end:
            continue
        piece = text[item.start : item.end + 1]
        value = decode_string(piece) if item.token_type in _TEXTS else item.text
        kind = _kind(item.token_type, piece)
        tokens.append(Token(kind, piece, value, item.start, item.end + 1))
    tokens.append(Token("end", "", "", len(text), len(text)))
    return tuple(tokens)


def _kind(token_type: TokenType, piece: str) -> Kind:
    if token_type in _STRINGS:
        return "string"
    if token_type is TokenType.IDENTIFIER:
        return "quoted"
    if token_type is TokenType.NUMBER:
        return "number"
    if token_type is TokenType.PLACEHOLDER:
        return "parameter"
    return "word" if _WORD.match(piece) else "symbol"


def _unclosed(text: str) -> UserError:
    """The tokenizer only says that something is not closed; find what and where."""
    place = 0
    while place < len(text):
        pair = text[place : place + 2]
        opening = pair if pair in ("--", "/*", DOLLARS) else text[place]
        closing = _CLOSINGS.get(opening)
        if closing is None:
            place += 1
            continue
        end = _closing(text, place + len(opening), closing)
        if end is None and opening != "--":
            span = Span(place, place + len(opening))
            hint = f"close it by {closing}" if opening in (DOLLARS, "/*") else None
            return UserError("UNCLOSED_QUOTE", quote=opening, span=span, hint=hint)
        place = len(text) if end is None else end
    return UserError("SYNTAX_ERROR", problem="the text cannot be split into words")


def _closing(text: str, start: int, closing: str) -> int | None:
    """The place after the closing mark, or None; a backslash escapes inside string quotes."""
    place = start
    while place < len(text):
        if closing in "'\"" and text[place] == "\\":
            place += 2
        elif text.startswith(closing, place):
            return place + len(closing)
        else:
            place += 1
    return None
