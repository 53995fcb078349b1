"""Results as Hive's protocol spells them: the type of each column, and rows column by column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from TCLIService import ttypes

from headwater.cell_text import cell
from headwater.result import Column, Row

_TYPE_IDS = {
    "boolean": ttypes.TTypeId.BOOLEAN_TYPE,
    "tinyint": ttypes.TTypeId.TINYINT_TYPE,
    "smallint": ttypes.TTypeId.SMALLINT_TYPE,
    "int": ttypes.TTypeId.INT_TYPE,
    "bigint": ttypes.TTypeId.BIGINT_TYPE,
    "float": ttypes.TTypeId.FLOAT_TYPE,
    "double": ttypes.TTypeId.DOUBLE_TYPE,
    "decimal": ttypes.TTypeId.DECIMAL_TYPE,
    "timestamp": ttypes.TTypeId.TIMESTAMP_TYPE,
    "timestamp_ntz": ttypes.TTypeId.TIMESTAMP_TYPE,
    "date": ttypes.TTypeId.DATE_TYPE,
    "binary": ttypes.TTypeId.BINARY_TYPE,
    "varchar": ttypes.TTypeId.VARCHAR_TYPE,
    "char": ttypes.TTypeId.CHAR_TYPE,
}
_IN_BRACKETS = re.compile(r"\((\d+)(?:\s*,\s*(\d+))?\)")


def table_schema(columns: Sequence[Column]) -> Any:
    """The columns of a result; what clients know no type for is a text."""
    return ttypes.TTableSchema(
        [
            ttypes.TColumnDesc(column.name, _type(column.type), position)
            for position, column in enumerate(columns, start=1)
        ]
    )


def type_name(sql_type: str) -> str:
    """The word a type begins with: `decimal(10,2)` is a `decimal`."""
    return re.split(r"[(< ]", sql_type.lower(), maxsplit=1)[0]


def type_id(sql_type: str) -> int:
    """The protocol's number of a type."""
    return int(_TYPE_IDS.get(type_name(sql_type), ttypes.TTypeId.STRING_TYPE))


def _type(sql_type: str) -> Any:
    entry = ttypes.TPrimitiveTypeEntry(type_id(sql_type), _qualifiers(sql_type))
    return ttypes.TTypeDesc([ttypes.TTypeEntry(primitiveEntry=entry)])


def _qualifiers(sql_type: str) -> Any:
    numbers = _IN_BRACKETS.search(sql_type)
    name = type_name(sql_type)
    if numbers is None or name not in ("decimal", "varchar", "char"):
        return None
    first, second = int(numbers.group(1)), int(numbers.group(2) or 0)
    known = (
        {"precision": first, "scale": second}
        if name == "decimal"
        else {"characterMaximumLength": first}
    )
    values = {key: ttypes.TTypeQualifierValue(i32Value=number) for key, number in known.items()}
    return ttypes.TTypeQualifiers(values)


def row_set(columns: Sequence[Column], rows: Sequence[Row], start: int) -> Any:
    """Rows that begin with the `start`-th of a result, column by column."""
    made = [
        _column(column.type, [row[place] for row in rows]) for place, column in enumerate(columns)
    ]
    return ttypes.TRowSet(startRowOffset=start, rows=[], columns=made)


_KINDS: dict[str, tuple[str, Any, object]] = {
    "boolean": ("boolVal", ttypes.TBoolColumn, False),
    "tinyint": ("byteVal", ttypes.TByteColumn, 0),
    "smallint": ("i16Val", ttypes.TI16Column, 0),
    "int": ("i32Val", ttypes.TI32Column, 0),
    "bigint": ("i64Val", ttypes.TI64Column, 0),
    "float": ("doubleVal", ttypes.TDoubleColumn, 0.0),
    "double": ("doubleVal", ttypes.TDoubleColumn, 0.0),
    "binary": ("binaryVal", ttypes.TBinaryColumn, b""),
}
_TEXT: tuple[str, Any, object] = ("stringVal", ttypes.TStringColumn, "")


def _column(sql_type: str, values: list[Any]) -> Any:
    field, kind, instead = _KINDS.get(type_name(sql_type), _TEXT)
    shown: Callable[[Any], Any] = _text if field == "stringVal" else lambda value: value
    held = [instead if value is None else shown(value) for value in values]
    return ttypes.TColumn(**{field: kind(held, null_bits(values))})


def _text(value: object) -> str:
    """A value as clients read it back: a time is that of the session's zone, which is not said."""
    return cell(value.replace(tzinfo=None) if isinstance(value, datetime) else value)


def null_bits(values: Sequence[object]) -> bytes:
    """One bit for each value, set where it is null; the first value has the lowest bit.

    >>> null_bits([1, None, 3, None])
    b'\\n'
    """
    bits = bytearray((len(values) + 7) // 8)
    for place, value in enumerate(values):
        if value is None:
            bits[place // 8] |= 1 << (place % 8)
    return bytes(bits)
