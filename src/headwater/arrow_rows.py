"""An Arrow table as rows of Python values: maps as dictionaries, timestamps in the session zone."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from headwater.time_zones import zone_of

if TYPE_CHECKING:
    import pyarrow

Convert = Callable[[Any], Any]


def rows_of(table: pyarrow.Table, *, time_zone: str) -> list[tuple[Any, ...]]:
    """All rows; columns without anything to convert go through Arrow's own conversion alone."""
    if table.num_columns == 0:
        return []
    zone = zone_of(time_zone)
    columns: list[list[Any]] = []
    for field, column in zip(table.schema, table.columns, strict=True):
        values = column.to_pylist()
        convert = _converter(field.type, zone)
        if convert is not None:
            values = [None if value is None else convert(value) for value in values]
        columns.append(values)
    return list(zip(*columns, strict=True))


def _converter(data_type: pyarrow.DataType, zone: tzinfo) -> Convert | None:
    """What to do with a value of this type, or None to leave it."""
    import pyarrow.types as kinds

    if kinds.is_timestamp(data_type):
        if data_type.tz is None:
            return None
        return lambda value: value.astimezone(zone).replace(tzinfo=None)
    if kinds.is_float32(data_type):
        return shortest_float
    if kinds.is_map(data_type):
        return _map_converter(data_type, zone)
    if kinds.is_list(data_type) or kinds.is_large_list(data_type):
        inner = _converter(data_type.value_type, zone)
        return None if inner is None else lambda value: [_or_none(inner, v) for v in value]
    if kinds.is_struct(data_type):
        return _struct_converter(data_type, zone)
    return None


def shortest_float(value: float) -> float:
    """The number with the fewest digits that is this 4-byte float: 0.1, not 0.10000000149011612.

    >>> shortest_float(0.10000000149011612)
    0.1
    """
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if _as_four_bytes(short) == _as_four_bytes(value):
            return short
    return value


def _as_four_bytes(value: float) -> bytes:
    try:
        return struct.pack("f", value)
    except OverflowError:
        # Rounding up the largest float leaves its range.
        return b""


def _or_none(convert: Convert | None, value: Any) -> Any:
    return value if value is None or convert is None else convert(value)


def _map_converter(data_type: pyarrow.MapType, zone: tzinfo) -> Convert:
    key, item = _converter(data_type.key_type, zone), _converter(data_type.item_type, zone)
    return lambda pairs: {_or_none(key, k): _or_none(item, v) for k, v in pairs}


def _struct_converter(data_type: pyarrow.StructType, zone: tzinfo) -> Convert | None:
    inner = {field.name: _converter(field.type, zone) for field in data_type}
    if not any(inner.values()):
        return None
    return lambda value: {name: _or_none(inner[name], v) for name, v in value.items()}
