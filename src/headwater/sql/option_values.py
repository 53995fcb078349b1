"""What the options of file formats may hold: a text to its value, or what it should have been.

Characters may be typed as they are, as an escape (`'\\t'`) or raw (`r'\\t'`): all mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.names import quote_literal
from headwater.time_zones import zone_of

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([tnrbf0\\]))")
_CHARACTERS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\\": "\\"}
_LAST_ASCII = 0x7F


class Unfit(ValueError):
    """The text is no value of the option; the message says what would be."""


def boolean(text: str) -> bool:
    """True or false."""
    if text.lower() not in ("true", "false"):
        raise Unfit("true or false")
    return text.lower() == "true"


def any_text(text: str) -> str:
    """Whatever was typed."""
    return text


def time_zone(text: str) -> str:
    """The name or offset of a time zone."""
    try:
        zone_of(text)
    except ValueError:
        raise Unfit("a time zone, such as UTC, Asia/Shanghai or +08:00") from None
    return text


def characters(least: int, most: int) -> Callable[[str], str]:
    """So many characters."""
    expected = "one character" if most == 1 else f"{least} to {most} characters"

    def read(text: str) -> str:
        found = _unescaped(text)
        if not least <= len(found) <= most:
            raise Unfit(expected)
        return found

    return read


def one_or_none(text: str) -> str | None:
    r"""One character of ASCII, or None for `r'\0'` and the empty text, which switch it off."""
    found = _unescaped(text)
    if found in ("", "\0"):
        return None
    if len(found) != 1 or ord(found) > _LAST_ASCII:
        raise Unfit(r"one character, or r'\0' for none")
    return found


def one_of(*names: str, aliases: dict[str, str] | None = None) -> Callable[[str], str]:
    """One of some words, in any case."""

    def read(text: str) -> str:
        found = (aliases or {}).get(text.lower(), text.lower())
        if found not in names:
            raise Unfit(f"{', '.join(names[:-1])} or {names[-1]}" if names[1:] else names[0])
        return found

    return read


def compression(*names: str) -> Callable[[str], str | None]:
    """One of some codecs, or None for none."""
    known = one_of(*names, "none", aliases={"gz": "gzip", "zst": "zstd", "deflate": "zlib"})

    def read(text: str) -> str | None:
        found = known(text or "none")
        return None if found == "none" else found

    return read


def option_literal(name: str, value: object) -> str:
    """A value as a literal that is read back as the same value."""
    if value is None:
        return r"r'\0'"
    if isinstance(value, bool):
        return quote_literal(str(value).lower())
    text = str(value)
    return quote_literal(text if name == "nullValue" else text.replace("\\", "\\\\"))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _CHARACTERS[match[3]]
