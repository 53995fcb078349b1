"""String literals as typed, decoded by Spark's rules.

Backslash sequences become their characters, except that `\\%` and `\\_` keep the backslash: it is
LIKE's. A doubled quote is one quote. Raw strings (`r'..'` and `$$..$$`) are taken as they are.
"""

from __future__ import annotations

import re

DOLLARS = "$$"
"""What stands around a text that holds quotes and semicolons, such as the body of a function."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))", re.DOTALL)
_CHARACTERS = {
    "0": "\0",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "Z": "\x1a",
    "%": "\\%",
    "_": "\\_",
}
_LARGEST_CODE = 0x10FFFF


def decode_string(literal: str) -> str:
    r"""The text that a quoted literal stands for.

    >>> decode_string(r"'it\'s 100\% \u0041'"), decode_string("r'a\\b'")
    ("it's 100\\% A", 'a\\b')
    """
    if literal.startswith(DOLLARS):
        return literal[len(DOLLARS) : -len(DOLLARS)]
    quote = literal[-1]
    start = literal.index(quote) + 1
    body = literal[start:-1]
    if literal[:1] in "rR":
        return body
    # Doubled quotes and escapes in one pass: a quote behind a backslash is no half of a pair.
    parts = re.split(rf"(\\.|{quote}{quote})", body, flags=re.DOTALL)
    joined = "".join(quote if part == quote * 2 else part for part in parts)
    return _ESCAPE.sub(_character, joined)


def _character(match: re.Match[str]) -> str:
    short, long, octal, plain = match.groups()
    if plain is not None:
        return _CHARACTERS.get(plain, plain)
    code = int(short or long, 16) if octal is None else int(octal, 8)
    return chr(code) if code <= _LARGEST_CODE else match[0]
