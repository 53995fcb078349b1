"""GET_PRESIGNED_URL(<volume>, <path> [, <seconds>]) wherever an expression stands.

The path may be any expression, so its text is left to Spark; only the volume, which is no
expression, has to be replaced.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import Token
from headwater.sql.volume_refs import VolumeRef, parse_volume_ref, volume_kind_at

_NAME = "GET_PRESIGNED_URL"


@dataclass(frozen=True, slots=True)
class Argument:
    """An expression as typed, and its place."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class PresignedUrl:
    """One call: `span` is all of it, `name_span` the function's name, `volume.span` the volume."""

    volume: VolumeRef
    path: Argument
    seconds: Argument | None
    span: Span
    name_span: Span


def find_presigned_urls(text: str, tokens: list[Token]) -> tuple[PresignedUrl, ...]:
    """Every call in `text`, in its order; a call inside another's path comes after it."""
    found = []
    for place, token in enumerate(tokens[:-1]):
        is_call = tokens[place + 1].kind == "symbol" and tokens[place + 1].text == "("
        is_field = place > 0 and tokens[place - 1].text == "."
        if token.upper == _NAME and is_call and not is_field:
            found.append(_call(Cursor(text, tokens), place))
    return tuple(found)


def _call(cursor: Cursor, place: int) -> PresignedUrl:
    name = cursor.tokens[place]
    cursor.position = place + 2
    if volume_kind_at(cursor.tokens, cursor.position) is None:
        raise _wrong(cursor, "a volume as its first argument")
    volume = parse_volume_ref(cursor)
    arguments: list[Argument] = []
    while cursor.accept_symbol(","):
        arguments.append(_argument(cursor))
    cursor.expect_symbol(")")
    if len(arguments) not in (1, 2):
        cursor.position -= 1
        raise _wrong(cursor, "a volume, a path and, if need be, a number of seconds")
    span = Span(name.start, cursor.tokens[cursor.position - 1].end)
    seconds = arguments[1] if len(arguments) > 1 else None
    return PresignedUrl(volume, arguments[0], seconds, span, name.span)


def _argument(cursor: Cursor) -> Argument:
    start = cursor.token.start
    depth = 0
    while not cursor.at_end:
        if depth == 0 and (cursor.at_symbol(",") or cursor.at_symbol(")")):
            break
        depth += cursor.at_symbol("(") + cursor.at_symbol("[")
        depth -= cursor.at_symbol(")") + cursor.at_symbol("]")
        cursor.advance()
    end = cursor.tokens[cursor.position - 1].end
    if end <= start:
        raise _wrong(cursor, "an expression here")
    return Argument(cursor.text[start:end], Span(start, end))


def _wrong(cursor: Cursor, expected: str) -> UserError:
    example = "GET_PRESIGNED_URL(VOLUME <name>, '<path>', 3600)"
    span = cursor.token.span
    return UserError(
        "FUNCTION_ARGUMENT", function=_NAME, expected=expected, example=example, span=span
    )
