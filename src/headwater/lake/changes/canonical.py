"""A text for Spark under which values are equal exactly if a reader cannot tell them apart.

Spark neither groups nor compares variants and maps, and takes texts with a collation for equal
that are not the same. Everything else stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

_BINARY = "UTF8_BINARY"


def canonical(value: str, kind: DataType, *, depth: int = 0) -> str:
    """An expression that stands for `value` where it is grouped by or compared."""
    from pyspark.sql import types

    if is_plain(kind):
        return value
    inner = f"x{depth}"
    if isinstance(kind, types.VariantType):
        # The same JSON may be a date or a text: the schema tells.
        return f"struct(to_json({value}), schema_of_variant({value}))"
    if isinstance(kind, types.StringType):
        return f"({value} COLLATE {_BINARY})"
    if isinstance(kind, types.ArrayType):
        element = canonical(inner, kind.elementType, depth=depth + 1)
        return f"transform({value}, {inner} -> {element})"
    if isinstance(kind, types.MapType):
        key = canonical(f"{inner}.key", kind.keyType, depth=depth + 1)
        item = canonical(f"{inner}.value", kind.valueType, depth=depth + 1)
        pairs = f"transform(map_entries({value}), {inner} -> struct({key} AS k, {item} AS v))"
        return f"array_sort({pairs}, (a{depth}, b{depth}) -> {_order(depth)})"
    assert isinstance(kind, types.StructType)
    fields = (
        canonical(f"{value}.`{field.name.replace('`', '``')}`", field.dataType, depth=depth)
        for field in kind.fields
    )
    return f"if({value} IS NULL, NULL, struct({', '.join(fields)}))"


def is_plain(kind: DataType) -> bool:
    """Whether Spark itself compares such values as it should."""
    from pyspark.sql import types

    if isinstance(kind, types.ArrayType):
        return is_plain(kind.elementType)
    if isinstance(kind, types.StructType):
        return all(is_plain(field.dataType) for field in kind.fields)
    if isinstance(kind, types.StringType):
        return kind.collation == _BINARY
    return not isinstance(kind, types.VariantType | types.MapType)


def _order(depth: int) -> str:
    """Keys are never NULL and differ from each other, so they alone give an order."""
    a, b = f"a{depth}.k", f"b{depth}.k"
    return f"CASE WHEN {a} < {b} THEN -1 WHEN {a} > {b} THEN 1 ELSE 0 END"
