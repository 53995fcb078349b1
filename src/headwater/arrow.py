"""Rows as an Arrow table, with the SQL types of their columns turned into Arrow's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from headwater.cell_text import cell
from headwater.result import Column, Row
from headwater.time_zones import zone_of

if TYPE_CHECKING:
    import pyarrow

_WORD = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\w+|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Type:
    """An Arrow type, and how a value gets into the form that Arrow takes for it."""

    arrow: Any
    convert: Callable[[Any], Any]


def table_of(
    schema: tuple[Column, ...], rows: Sequence[Row], *, time_zone: str | None = None
) -> pyarrow.Table:
    """`rows` as a table of these columns.

    Args:
        schema: The columns, with their SQL types.
        rows: One tuple per row.
        time_zone: What `timestamp` columns are given as; without it they carry no zone, and values
            that have one are moved to UTC.
    """
    import pyarrow

    types = [_arrow_type(column.type, time_zone=time_zone) for column in schema]
    arrays = [
        pyarrow.array([_or_none(kind, row[place]) for row in rows], type=kind.arrow)
        for place, kind in enumerate(types)
    ]
    fields = [pyarrow.field(c.name, t.arrow) for c, t in zip(schema, types, strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


def _arrow_type(sql_type: str, *, time_zone: str | None = None) -> _Type:
    """The Arrow type of a SQL type such as `array<decimal(10,2)>`; text for those Arrow lacks."""
    words = [match[1] for match in _WORD.finditer(sql_type.strip())]
    return _Reader(words, time_zone).type()


class _Reader:
    """Reads a type word by word."""

    def __init__(self, words: list[str], time_zone: str | None) -> None:
        self.words = words
        self.place = 0
        self.time_zone = time_zone

    def _peek(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def _take(self) -> str:
        word = self._peek()
        self.place += 1
        return word

    def type(self) -> _Type:
        """The type that starts here."""
        name = self._take().lower()
        if name == "array":
            return self._array()
        if name == "map":
            return self._map()
        if name == "struct":
            return self._struct()
        arguments = self._arguments()
        if name == "interval":
            return self._interval()
        return _simple(name, arguments, self.time_zone)

    def _arguments(self) -> list[str]:
        arguments: list[str] = []
        if self._peek() == "(":
            while (word := self._take()) not in (")", ""):
                arguments += [] if word in "(," else [word]
        return arguments

    def _interval(self) -> _Type:
        import pyarrow

        units = []
        while self._peek().isalpha():
            units.append(self._take().lower())
        if {"year", "month"} & set(units):
            return _Type(pyarrow.string(), cell)
        return _Type(pyarrow.duration("us"), _same)

    def _array(self) -> _Type:
        import pyarrow

        self._take()
        item = self.type()
        self._take()
        return _Type(
            pyarrow.list_(item.arrow), lambda value: [_or_none(item, part) for part in value]
        )

    def _map(self) -> _Type:
        import pyarrow

        self._take()
        key = self.type()
        self._take()
        item = self.type()
        self._take()
        return _Type(
            pyarrow.map_(key.arrow, item.arrow),
            lambda value: [(key.convert(k), _or_none(item, v)) for k, v in dict(value).items()],
        )

    def _struct(self) -> _Type:
        import pyarrow

        fields: list[tuple[str, _Type]] = []
        while self._take() in ("<", ","):
            if self._peek() == ">":
                continue
            name = self._take()
            if name.startswith("`"):
                name = name[1:-1].replace("``", "`")
            if self._peek() == ":":
                self._take()
            fields.append((name, self.type()))
            while self._peek() not in (",", ">", ""):  # NOT NULL, COMMENT '..'
                self._take()
        arrow = pyarrow.struct([pyarrow.field(name, kind.arrow) for name, kind in fields])
        return _Type(arrow, lambda value: _struct_value(fields, value))


def _simple(name: str, arguments: list[str], time_zone: str | None) -> _Type:
    import pyarrow

    if name in ("decimal", "dec", "numeric"):
        precision, scale = ([int(text) for text in arguments] + [10, 0][len(arguments) :])[:2]
        return _Type(pyarrow.decimal128(precision, scale), lambda value: Decimal(str(value)))
    if name in ("timestamp", "timestamp_ltz"):
        zone = zone_of(time_zone) if time_zone else UTC
        arrow = pyarrow.timestamp("us", tz=time_zone)
        return _Type(arrow, lambda value: _instant(value, zone, bool(time_zone)))
    plain: dict[str, Callable[[], Any]] = {
        "boolean": pyarrow.bool_,
        "tinyint": pyarrow.int8,
        "byte": pyarrow.int8,
        "smallint": pyarrow.int16,
        "short": pyarrow.int16,
        "int": pyarrow.int32,
        "integer": pyarrow.int32,
        "bigint": pyarrow.int64,
        "long": pyarrow.int64,
        "float": pyarrow.float32,
        "real": pyarrow.float32,
        "double": pyarrow.float64,
        "date": pyarrow.date32,
        "timestamp_ntz": lambda: pyarrow.timestamp("us"),
        "binary": pyarrow.binary,
        "void": pyarrow.null,
    }
    if name in plain:
        return _Type(plain[name](), _same)
    return _Type(pyarrow.string(), cell)


def _same(value: Any) -> Any:
    return value


def _or_none(kind: _Type, value: Any) -> Any:
    return None if value is None else kind.convert(value)


def _instant(value: datetime, zone: tzinfo, has_zone: bool) -> datetime:
    """In UTC where the column has a zone, as Arrow keeps it; otherwise as a clock shows it."""
    if value.tzinfo is None:
        return value.replace(tzinfo=zone).astimezone(UTC) if has_zone else value
    moved = value.astimezone(UTC)
    return moved if has_zone else moved.replace(tzinfo=None)


def _struct_value(fields: list[tuple[str, _Type]], value: Any) -> dict[str, Any]:
    by_place = not isinstance(value, Mapping)
    return {
        name: _or_none(kind, value[place] if by_place else value.get(name))
        for place, (name, kind) in enumerate(fields)
    }
