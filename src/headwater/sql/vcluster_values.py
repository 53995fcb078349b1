"""What the properties of virtual clusters may hold: a text to its value, or what it should be."""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.sql.option_values import Unfit

_NAMED_SIZES: dict[str, int] = {
    name: 1 << power
    for power, names in enumerate(
        (
            ("XSMALL", "XS", "X-SMALL"),
            ("SMALL", "S"),
            ("MEDIUM", "M"),
            ("LARGE", "L"),
            ("XLARGE", "XL", "X-LARGE"),
            ("X2LARGE", "2XLARGE", "XXLARGE", "2X-LARGE"),
            ("X3LARGE", "3XLARGE", "XXXLARGE", "3X-LARGE"),
            ("X4LARGE", "4XLARGE", "4X-LARGE"),
            ("X5LARGE", "5XLARGE", "5X-LARGE"),
        )
    )
    for name in names
}
_PARTS = {"0.25": 0.25, "0.5": 0.5, "0.50": 0.5, ".25": 0.25, ".5": 0.5}
_MOST_SIZE = 256
_MOST_SECONDS = 2_147_483_647
_DECIMAL = re.compile(r"[0-9]{0,3}(\.[0-9]{0,9})?")
_TABLE = re.compile(r"[^\s,.]+\.[^\s,.]+")
_MOST_DIGITS = 10


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number within limits."""

    def read(text: str) -> int:
        number = _integer(text)
        if number is None or not least <= number <= most:
            raise Unfit(f"a whole number from {least} to {most}")
        return number

    return read


def suspend_seconds(least: int) -> Callable[[str], int]:
    """Seconds of idle time, at least so many, or -1 for never."""

    def read(text: str) -> int:
        if text.strip() == "-1":
            return -1
        number = _integer(text)
        if number is None or not least <= number <= _MOST_SECONDS:
            raise Unfit(f"-1 for never, or a whole number of seconds from {least}")
        return number

    return read


def size(text: str) -> float:
    """CRU, or the name of a size; who may have a part of one is for the type to say.

    >>> size("8"), size("medium"), size("0.25")
    (8, 4, 0.25)
    """
    word = text.strip().upper()
    if word in _NAMED_SIZES:
        return _NAMED_SIZES[word]
    if word in _PARTS:
        return _PARTS[word]
    number = _integer(word)
    if number is None or not 1 <= number <= _MOST_SIZE:
        raise Unfit("a whole number from 1 to 256, or XSMALL to X5LARGE")
    return number


def ratio(text: str) -> float:
    """A share from nothing to all."""
    word = text.strip()
    if not word.strip(".") or not _DECIMAL.fullmatch(word) or float(word) > 1:
        raise Unfit("a number from 0.0 to 1.0")
    return float(word)


def boolean(text: str) -> bool:
    """TRUE or FALSE."""
    if text.strip().lower() not in ("true", "false"):
        raise Unfit("TRUE or FALSE")
    return text.strip().lower() == "true"


def comma_list(text: str) -> tuple[str, ...]:
    """Tables with their schemas; `schema.*` is all of one, and the empty text is none."""
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if not all(_TABLE.fullmatch(name) for name in names):
        raise Unfit("names such as 'sales.orders,sales.*'")
    return names


def _integer(text: str) -> int | None:
    digits = text.strip()
    # Numbers of thousands of digits are out of range before Python has to read them.
    if not digits.isascii() or not digits.isdigit() or len(digits.lstrip("0")) > _MOST_DIGITS:
        return None
    return int(digits)
