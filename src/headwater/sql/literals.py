"""Python values as SQL literals that Spark reads back as the same value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from headwater.errors import ValueRejected
from headwater.names import quote_literal

_MOST_DIGITS = 38
_LARGEST_INTERVAL = timedelta(microseconds=2**63 - 1)
# Neither reaches Spark unharmed: the first ends a text in places, the second has no UTF-8 form.
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


def literal(value: object, *, name: str = "?") -> str:
    """`value` in SQL; `name` is what an error calls it.

    >>> literal(-5), literal("it's"), literal([True, None])
    ('(-5)', "'it\\\\'s'", 'array(true, NULL)')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value, name)
        case int():
            return _integer(int(value), name)
        case float():
            return _double(float(value))
        case Decimal():
            return _decimal(value, name)
        case UUID():
            return quote_literal(str(value))
        case bytes() | bytearray() | memoryview():
            return f"X'{bytes(value).hex().upper()}'"
        case datetime() | timedelta() if value != value:
            return "NULL"  # the NaT of pandas calls itself a datetime
        case datetime():
            return f"TIMESTAMP'{_timestamp_text(value)}'"
        case date():
            return f"DATE'{value.isoformat()}'"
        case timedelta():
            return _interval(value, name)
        case list() | tuple():
            return f"array({', '.join(literal(item, name=name) for item in value)})"
        case Mapping():
            pairs = [literal(item, name=name) for pair in value.items() for item in pair]
            return f"map({', '.join(pairs)})"
        case _:
            raise _rejected(name, f"a {type(value).__name__} has no SQL form")


def _rejected(name: str, problem: str) -> ValueRejected:
    return ValueRejected("PARAMETER_TYPE", name=name, problem=problem)


def _string(value: str, name: str) -> str:
    if _UNWRITABLE.search(value):
        raise _rejected(name, "it holds a NUL character or half of a surrogate pair")
    # Spark replaces ${name} by a setting or an environment variable even inside strings.
    return quote_literal(value).replace("${", "\\u0024{")


def _signed(text: str) -> str:
    # The brackets keep `- -5` from turning into a comment.
    return f"({text})" if text.startswith("-") else text


def _integer(value: int, name: str) -> str:
    # Checked by size first: Python itself refuses to write out integers of thousands of digits.
    if abs(value) >= 10**_MOST_DIGITS:
        raise _rejected(name, f"the integer has more than {_MOST_DIGITS} digits")
    return _signed(str(value))


def _double(value: float) -> str:
    if math.isnan(value):
        return "double('NaN')"
    if math.isinf(value):
        return "double('Infinity')" if value > 0 else "double('-Infinity')"
    return _signed(f"{value!r}D")


def _decimal(value: Decimal, name: str) -> str:
    if not value.is_finite():
        raise _rejected(name, f"a decimal cannot be {value}")
    if max(value.adjusted() + 1, 0) + max(-int(value.as_tuple().exponent), 0) > _MOST_DIGITS:
        raise _rejected(name, f"the decimal has more than {_MOST_DIGITS} digits")
    return _signed(f"{value:f}BD")


def _timestamp_text(value: datetime) -> str:
    offset = value.utcoffset()
    if offset is not None and offset.seconds % 60:
        # Spark takes offsets in whole minutes; local mean times of the past have seconds.
        value = value.astimezone(UTC)
    # The fields one by one: subclasses of datetime print more digits than Spark reads.
    text = (
        f"{value.year:04d}-{value.month:02d}-{value.day:02d} "
        f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}"
    )
    text += f".{value.microsecond:06d}" if value.microsecond else ""
    return text + (f"{value:%z}"[:3] + ":" + f"{value:%z}"[3:5] if offset is not None else "")


def _interval(value: timedelta, name: str) -> str:
    if abs(value) > _LARGEST_INTERVAL:
        raise _rejected(name, "the interval is longer than 292,000 years")
    size = abs(value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta(0) else ""
    clock = f"{hours:02d}:{minutes:02d}:{seconds:02d}.{size.microseconds:06d}"
    return f"INTERVAL '{sign}{size.days} {clock}' DAY TO SECOND"
