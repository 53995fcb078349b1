"""What of an editor's text is run, and where in it an error lies. Pure.

Places are characters, as in Python; a browser counts otherwise and is asked to convert.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import HeadwaterError, Span, UserError
from headwater.sql.split import Piece, pieces_of
from headwater.sql.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Cursor:
    """The text of an editor and what is marked in it; nothing, if both places are the same."""

    text: str
    start: int
    end: int


def chosen(cursor: Cursor) -> Piece:
    """What Run runs: what is marked, or else the statement at the cursor.

    A cursor between two statements is at the one before it.

    >>> chosen(Cursor("SELECT 1; SELECT 2", 12, 12))
    Piece(text='SELECT 2', start=10)
    """
    marked = cursor.text[cursor.start : cursor.end]
    if marked.strip():
        return Piece(marked, cursor.start)
    found = Piece("", 0)
    for piece in pieces_of(cursor.text):
        if piece.start > cursor.start and found.text:
            break
        found = piece
    return found


def place_of(ran: Piece, results: int, error: HeadwaterError) -> Span | None:
    """Where an error lies in the editor, when so many statements of what ran had succeeded.

    An error without a place is one of its whole statement.
    """
    pieces = pieces_of(ran.text)
    if results >= len(pieces):
        return None
    piece = pieces[results]
    start = ran.start + piece.start
    span = error.span
    # The error's own text differs where a credential is covered in it.
    if span is None or error.statement != piece.text:
        return Span(start, start + len(piece.text))
    end = max(span.end, span.start + 1)
    if span.start >= len(piece.text):
        # Something is missing at the end: the last word is the place to look at.
        return Span(start + _last_word(piece.text), start + len(piece.text))
    return Span(start + span.start, start + min(end, len(piece.text)))


def _last_word(text: str) -> int:
    try:
        tokens = tokenize(text)
    except UserError:
        return max(len(text) - 1, 0)
    return tokens[-2].start if len(tokens) > 1 else 0


def shown_statement(text: str, most: int = 60) -> str:
    """A statement in one short line.

    >>> shown_statement("SELECT  1\\n  FROM t")
    'SELECT 1 FROM t'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
