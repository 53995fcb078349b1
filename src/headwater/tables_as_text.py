"""A result as a table of plain characters, the way the documents print them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.cell_text import cell

if TYPE_CHECKING:
    from headwater.result import Result, Row

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CUT = "..."
_JOINER = "\u200d"


def as_text(result: Result, *, limit: int | None = None, max_width: int | None = None) -> str:
    """`result` as a table; its message when it returns no rows.

    Args:
        result: What a statement gave back.
        limit: Show at most this many rows, and say how many there are.
        max_width: Cut cells that are wider than this many characters.
    """
    if not result.returns_rows:
        return result.message
    shown = _first_rows(result, limit)
    lines = [[_fitted(_visible(name), max_width) for name in result.columns]]
    lines += [[_fitted(text, max_width) for text in row] for row in _visible_rows(shown)]
    widths = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
    border = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    table = [border, _line(lines[0], widths), border]
    table += [_line(line, widths) for line in lines[1:]]
    if shown:
        table.append(border)
    if len(shown) < len(result):
        table.append(f"({len(result)} rows, first {len(shown)} shown)")
    return "\n".join(table)


def _visible_rows(rows: list[Row]) -> list[list[str]]:
    """The rows as texts; a single text of several lines, such as a plan, keeps its lines."""
    if len(rows) == 1 and len(rows[0]) == 1:
        return [[_visible(line)] for line in cell(rows[0][0]).split("\n")]
    return [[_visible(cell(value)) for value in row] for row in rows]


def _first_rows(result: Result, limit: int | None) -> list[Row]:
    """At most `limit` rows; of an Arrow table no others are turned into Python values."""
    if limit is None or result.source is None or isinstance(result.source, list):
        return result.rows[:limit]
    return replace(result, source=result.source.slice(0, limit)).rows


def text_width(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me") or character == _JOINER:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        text + " " * (width - text_width(text)) for text, width in zip(cells, widths, strict=True)
    )
    return "| " + " | ".join(padded) + " |"


def _fitted(text: str, max_width: int | None) -> str:
    if max_width is None or text_width(text) <= max_width:
        return text
    room = max(max_width - len(_CUT), 0)
    kept = 0
    for character in text:
        room -= _character_width(character)
        if room < 0:
            break
        kept += 1
    return text[:kept] + _CUT[:max_width]


def _visible(text: str) -> str:
    """Without characters that would move the cursor, hide text or turn its direction."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    is_hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    if not is_hidden or character == _JOINER:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
