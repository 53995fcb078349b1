"""Which type a column may be changed to without rewriting its files: only wider ones. Pure."""

from __future__ import annotations

import re

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")


def is_widening(before: str, after: str) -> bool:
    """Whether every value of type `before` is a value of type `after`, as Delta's rules have it.

    >>> is_widening("int", "BIGINT"), is_widening("bigint", "INT"), is_widening("int", "STRING")
    (True, False, False)
    """
    old, new = before.lower(), after.lower().replace(" ", "")
    if old == new:
        return True
    if old in _INTEGERS and new in _INTEGERS:
        return _INTEGERS.index(old) < _INTEGERS.index(new)
    if old in ("tinyint", "smallint", "int", "float") and new == "double":
        return True
    if old == "date" and new == "timestamp_ntz":
        return True
    return _decimal_widening(old, new)


def _decimal_widening(old: str, new: str) -> bool:
    wanted = _DECIMAL.match(new)
    if wanted is None:
        return False
    precision, scale = (int(group) for group in wanted.groups())
    current = _DECIMAL.match(old)
    if current is None:
        return old in _DIGITS and precision - scale >= _DIGITS[old]
    old_precision, old_scale = (int(group) for group in current.groups())
    return scale >= old_scale and precision - scale >= old_precision - old_scale
