"""A script to its statements: cut at semicolons that stand outside strings and comments."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import UserError
from headwater.sql.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement of a script, and where it starts in it."""

    text: str
    start: int


def split(script: str) -> list[Piece]:
    """The statements of `script` in order; empty ones (comments only, `;;`) are left out."""
    pieces: list[Piece] = []
    first: int | None = None
    last = 0
    for token in tokenize(script):
        if token.kind == "end" or (token.kind == "symbol" and token.text == ";"):
            if first is not None:
                pieces.append(Piece(script[first:last], first))
            first = None
            continue
        if first is None:
            first = token.start
        last = token.end
    return pieces


def pieces_of(script: str) -> list[Piece]:
    """Like `split`; a script with an unclosed quote is one piece.

    Run as one statement it fails as a job, with its place in the text.
    """
    try:
        return split(script)
    except UserError:
        return [Piece(script, 0)]


def is_complete(script: str) -> bool:
    """Whether the shell may run `script`: its last statement is closed by a semicolon."""
    tokens = tokenize(script)
    return len(tokens) == 1 or tokens[-2].text == ";"
