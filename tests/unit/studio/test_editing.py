"""What of an editor's text runs, and where an error lies in it."""

from __future__ import annotations

import pytest

from headwater.errors import HeadwaterError, Span, UserError
from headwater.sql.split import Piece
from headwater.studio.editing import Cursor, chosen, place_of

_TEXT = "SELECT 1;\n\n-- then\nSELECT ';' ;\nSELECT 3"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, "SELECT 1"),
        (9, "SELECT 1"),
        (10, "SELECT 1"),
        (20, "SELECT ';'"),
        (len(_TEXT), "SELECT 3"),
    ],
)
def test_the_statement_at_the_cursor(place: int, expected: str) -> None:
    piece = chosen(Cursor(_TEXT, place, place))
    assert piece.text == expected
    assert _TEXT[piece.start :].startswith(expected)


def test_what_is_marked_comes_first() -> None:
    assert chosen(Cursor(_TEXT, 7, 8)) == Piece("1", 7)


def test_marked_blanks_are_nothing() -> None:
    assert chosen(Cursor("SELECT 1;  ", 9, 11)).text == "SELECT 1"


def test_nothing_is_nothing() -> None:
    assert chosen(Cursor("-- only this", 3, 3)).text == ""


def test_an_unclosed_quote_is_one_statement() -> None:
    assert chosen(Cursor("SELECT 'a; SELECT 2", 15, 15)).text == "SELECT 'a; SELECT 2"


def failed(statement: str | None, span: Span | None) -> HeadwaterError:
    error = UserError("SYNTAX_ERROR", problem="x")
    error.statement, error.span = statement, span
    return error


def test_the_place_counts_from_the_begin_of_the_editor() -> None:
    ran = Piece("SELECT 1; SELECT nope", 100)
    assert place_of(ran, 1, failed("SELECT nope", Span(7, 11))) == Span(117, 121)


def test_an_error_without_a_place_is_one_of_the_statement() -> None:
    ran = Piece("SELECT 1; SELECT nope", 0)
    assert place_of(ran, 1, failed(None, None)) == Span(10, 21)


def test_a_covered_credential_moves_no_mark() -> None:
    ran = Piece("CREATE x PASSWORD 'secret' y", 0)
    assert place_of(ran, 0, failed("CREATE x PASSWORD '****' y", Span(25, 26))) == Span(0, 28)


def test_what_is_missing_at_the_end_is_marked_at_the_last_word() -> None:
    assert place_of(Piece("SELECT 1 FROM", 5), 0, failed("SELECT 1 FROM", Span(13, 13))) == Span(
        14, 18
    )


def test_an_error_after_the_last_statement_has_no_place() -> None:
    assert place_of(Piece("SELECT 1", 0), 1, failed(None, None)) is None
