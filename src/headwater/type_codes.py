"""PEP 249 type codes: `description[i][1] == headwater.NUMBER` tells the kind of a column."""

from __future__ import annotations

from dataclasses import dataclass

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean")


@dataclass(frozen=True, slots=True)
class TypeCode:
    """A kind of type; equal to another one of the same kind."""

    name: str

    def __repr__(self) -> str:
        return self.name


STRING = TypeCode("STRING")
BINARY = TypeCode("BINARY")
NUMBER = TypeCode("NUMBER")
DATETIME = TypeCode("DATETIME")
ROWID = TypeCode("ROWID")


def type_code(sql_type: str) -> TypeCode:
    """The code of a SQL type.

    >>> type_code("decimal(10,2)"), type_code("timestamp_ntz"), type_code("array<int>")
    (NUMBER, DATETIME, STRING)
    """
    base = sql_type.split("(")[0].split("<")[0].split(" ")[0].lower()
    if base in _NUMBERS:
        return NUMBER
    if base in ("date", "timestamp", "timestamp_ntz", "interval"):
        return DATETIME
    return BINARY if base == "binary" else STRING
