"""One value as text for people (`cell`) and as something JSON can hold (`json_value`)."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal

_SMALLEST_PLAIN = 1e-3
_LARGEST_PLAIN = 1e7


class JsonText(str):
    """A JSON document inside another value; on its own a JSON document is a plain text."""

    __slots__ = ()


JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def cell(value: object) -> str:
    """`value` as it stands in a table: numbers as Spark prints them, nested values as JSON.

    >>> cell(timedelta(milliseconds=327)), cell(1e10), cell([1, None]), cell(b"\\xde\\xad")
    ('0 00:00:00.327000000', '1.0E10', '[1,null]', '[DE AD]')
    """
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float_text(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _timestamp_text(value)
        case timedelta():
            return _duration_text(value)
        case bytes() | bytearray() | memoryview():
            return "[" + bytes(value).hex(" ").upper() + "]"
        case Mapping() | list() | tuple():
            return json.dumps(json_value(value), ensure_ascii=False, separators=(",", ":"))
        case _:
            return str(value)


def json_value(value: object) -> JsonValue:
    """`value` as JSON holds it without loss: what a JSON number cannot say exactly is a string."""
    match value:
        case JsonText():
            document: JsonValue = json.loads(value)
            return document
        case None | bool() | str():
            return value
        case int():
            return int(value)
        case float():
            return value if math.isfinite(value) else _float_text(value)
        case Decimal():
            return _decimal_value(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode("ascii")
        case Mapping():
            return {cell(key): json_value(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return _items(value)
        case _:
            to_json = _method(value, "toJson")
            parsed: JsonValue = json.loads(str(to_json())) if to_json else cell(value)
            return parsed


def _items(value: list[object] | tuple[object, ...] | set[object] | frozenset[object]) -> JsonValue:
    # A Spark row is a tuple that knows its field names; this module must not import Spark.
    as_dict = _method(value, "asDict") or _method(value, "_asdict")
    return json_value(as_dict()) if as_dict else [json_value(item) for item in value]


def _method(value: object, name: str) -> Callable[[], object] | None:
    found = getattr(value, name, None)
    return found if callable(found) else None


def _decimal_value(value: Decimal) -> float | str:
    if not value.is_finite():
        return str(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else format(value, "f")


def _float_text(value: float) -> str:
    """As Java writes a double: 1.0E10, not 1e+10."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        plain = format(Decimal(float.__repr__(value)), "f")
        return plain if "." in plain else plain + ".0"
    sign, digits, exponent = Decimal(float.__repr__(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power = int(exponent) + len(digits) - 1
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"


def _timestamp_text(value: datetime) -> str:
    """Milliseconds where there are any; microseconds only where milliseconds would lose some."""
    if value.microsecond == 0:
        return value.isoformat(sep=" ", timespec="seconds")
    finest = "microseconds" if value.microsecond % 1000 else "milliseconds"
    return value.isoformat(sep=" ", timespec=finest)


def _duration_text(value: timedelta) -> str:
    sign = "-" if value < timedelta(0) else ""
    size = abs(value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours:02d}:{minutes:02d}:{seconds:02d}"
    return f"{sign}{size.days} {clock}.{size.microseconds * 1000:09d}"
