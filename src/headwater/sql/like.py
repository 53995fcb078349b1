"""SQL LIKE patterns: `%` any text, `_` one character, `\\` takes the next character literally."""

from __future__ import annotations

import re
from collections.abc import Callable

Matcher = Callable[[str], bool]


def like_matcher(pattern: str, *, escape: str = "\\", ignore_case: bool = True) -> Matcher:
    """A function that tells whether a text matches `pattern` as a whole.

    >>> [like_matcher("a%_c")(text) for text in ("ABC", "abbc", "ac", "abcd")]
    [True, True, False, False]
    """
    first, *rest = _pieces(pattern, escape)
    # Taking the first place where a piece fits is always right, and forbidding the way back keeps
    # patterns such as %a%a%a%a% from taking exponential time.
    expression = first + "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece)
    expression += "".join(f".*{piece}" for piece in rest[-1:])
    compiled = re.compile(expression, re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    return lambda text: compiled.fullmatch(text) is not None


def _pieces(pattern: str, escape: str) -> list[str]:
    """The pattern cut at its `%`, each piece as a regular expression of fixed length."""
    pieces = [""]
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            pieces[-1] += re.escape(next(characters, escape))
        elif character == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if character == "_" else re.escape(character)
    return pieces
