"""What a statement gave as lines of a `.test` file, and whether they are the lines expected. Pure.

A cell `*` stands for anything and `re:<regex>` for what the regex matches as a whole. Every other
cell is the value itself, with `|`, backslashes and line ends escaped and nothing as `(empty)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

_BETWEEN = " | "
_EMPTY = "(empty)"
_ANYTHING = "*"
_PATTERN = "re:"
_ESCAPED = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPE = re.compile(r"[\\|\n\r\t]")

Matcher = Callable[[str, str], bool]


def row_line(cells: Iterable[str]) -> str:
    """A row as one line."""
    return _BETWEEN.join(_written(cell) for cell in cells)


def text_lines(text: str) -> list[str]:
    """A text of several lines; an empty one must not end the record it stands in."""
    return [line if line.strip() else _EMPTY for line in text.split("\n")]


def _written(cell: str) -> str:
    return _TO_ESCAPE.sub(lambda found: _ESCAPED[found[0]], cell) or _EMPTY


def row_matches(expected: str, got: str) -> bool:
    """Whether a line of a result is the one expected, cell by cell."""
    wanted, found = expected.split(_BETWEEN), got.split(_BETWEEN)
    return len(wanted) == len(found) and all(map(text_matches, wanted, found))


def text_matches(expected: str, got: str) -> bool:
    """Whether a cell, or a line of a text, is the one expected."""
    if expected in (_ANYTHING, got):
        return True
    pattern = expected.removeprefix(_PATTERN)
    return pattern != expected and re.fullmatch(pattern, got) is not None


def lines_match(
    expected: Sequence[str], got: Sequence[str], *, matches: Matcher, any_order: bool = False
) -> bool:
    """Whether all lines are as expected; in any order but for the first, which is the header."""
    if len(expected) != len(got):
        return False
    if not any_order:
        return all(map(matches, expected, got))
    return matches(expected[0], got[0]) and not _left_over(expected[1:], got[1:], matches)


def _left_over(expected: Sequence[str], got: Sequence[str], matches: Matcher) -> list[str]:
    """The lines of `got` that no line of `expected` stands for."""
    left = list(got)
    # Lines without wildcards first, so that a wildcard takes none that is asked for by its value.
    for line in sorted(expected, key=_wildcards):
        found = next((candidate for candidate in left if matches(line, candidate)), None)
        if found is not None:
            left.remove(found)
    return left


def _wildcards(line: str) -> int:
    cells = line.split(_BETWEEN)
    return sum(cell == _ANYTHING or cell.startswith(_PATTERN) for cell in cells)


def blessed_rows(expected: Sequence[str], got: Sequence[str]) -> list[str]:
    """The lines of `got`, with the wildcard cells of `expected` that still match in their place."""
    if len(expected) == len(got):
        return [_blessed_row(before, line) for before, line in zip(expected, got, strict=True)]
    # Rows came or went: a row keeps the wildcards of the first old line that stood for it.
    return [next((old for old in expected if row_matches(old, line)), line) for line in got]


def _blessed_row(expected: str, got: str) -> str:
    wanted, found = expected.split(_BETWEEN), got.split(_BETWEEN)
    if len(wanted) != len(found):
        return got
    pairs = zip(wanted, found, strict=True)
    return _BETWEEN.join(old if text_matches(old, new) else new for old, new in pairs)


def blessed_text(expected: Sequence[str], got: Sequence[str]) -> list[str]:
    """The lines of `got`, with the pattern lines of `expected` that still match in their place."""
    if len(expected) != len(got):
        return list(got)
    pairs = zip(expected, got, strict=True)
    return [old if text_matches(old, new) else new for old, new in pairs]
