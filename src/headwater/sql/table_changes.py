"""TABLE_CHANGES('<table>', <start>, <end> [, map(..)]): what changed between two moments."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import Span, UserError
from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.arguments import split_arguments
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import Token

FUNCTION = "TABLE_CHANGES"
_MODE, _NET, _EVERY = "TABLE_STREAM_MODE", "STANDARD", "ORIGINAL"
_EXAMPLE = f"{FUNCTION}('<schema>.<table>', '<start>', '<end>')"
_MAP_EXAMPLE = f"map('{_MODE}', '{_EVERY}')"


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changes of a table after the moment `start`, up to and with the moment `end`.

    Both are expressions as typed. With `every` each change is shown, else only what is left of
    them in the end.
    """

    table: ObjectName
    start: str
    end: str
    every: bool = False
    table_span: Span | None = field(default=None, compare=False)
    start_span: Span | None = field(default=None, compare=False)
    end_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The relation in its canonical spelling."""
        tail = f", {_MAP_EXAMPLE}" if self.every else ""
        return f"{FUNCTION}({quote_literal(str(self.table))}, {self.start}, {self.end}{tail})"

    @property
    def alias(self) -> str:
        """What the text may call it when it gives no alias."""
        return FUNCTION.lower()


def parse_table_changes(cursor: Cursor) -> TableChanges:
    """Take the relation; the cursor stands before TABLE_CHANGES and its parenthesis."""
    function = cursor.token.span
    cursor.advance()
    opening = cursor.position
    cursor.skip_parentheses()
    pieces = split_arguments(cursor.tokens[opening + 1 : cursor.position - 1])
    if len(pieces) not in (3, 4) or not all(pieces):
        raise _refused("the name of a table, a start and an end", function)
    table, start, end = pieces[:3]
    every = _every(pieces[3]) if len(pieces) > 3 else False
    spans = [_span(piece) for piece in (table, start, end)]
    return TableChanges(
        _table(table),
        cursor.text[spans[1].start : spans[1].end],
        cursor.text[spans[2].start : spans[2].end],
        every,
        *spans,
    )


def _span(piece: list[Token]) -> Span:
    return Span(piece[0].start, piece[-1].end)


def _refused(expected: str, span: Span, *, example: str = _EXAMPLE) -> UserError:
    return UserError(
        "FUNCTION_ARGUMENT", function=FUNCTION, expected=expected, example=example, span=span
    )


def _table(piece: list[Token]) -> ObjectName:
    if len(piece) != 1 or piece[0].kind != "string":
        raise _refused("the name of a table in quotes", _span(piece))
    inner = Cursor(piece[0].value)
    try:
        name = inner.object_name("the table's name")
        inner.expect_end()
    except UserError as error:
        # Its place is one inside the quotes: point at all of them.
        error.span = piece[0].span
        raise
    return name


def _every(piece: list[Token]) -> bool:
    """`map('TABLE_STREAM_MODE', 'ORIGINAL')`; an empty map says nothing."""
    is_map = piece[0].upper == "MAP" and len(piece) > 2 and piece[1].text == "("
    pairs = split_arguments(piece[2:-1]) if is_map else []
    if not is_map or len(pairs) % 2 or any(len(p) != 1 or p[0].kind != "string" for p in pairs):
        raise _refused("a map of settings", _span(piece), example=_MAP_EXAMPLE)
    every = False
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if key[0].value.upper() != _MODE:
            hint = did_you_mean(key[0].value, [_MODE]) or f"it has {_MODE}"
            raise UserError(
                "OPTION_UNKNOWN",
                owner=FUNCTION,
                name=key[0].value,
                span=key[0].span,
                hint=hint,
            )
        if value[0].value.upper() not in (_NET, _EVERY):
            raise _refused(f"{_EVERY} or {_NET}", value[0].span, example=_MAP_EXAMPLE)
        every = value[0].value.upper() == _EVERY
    return every
