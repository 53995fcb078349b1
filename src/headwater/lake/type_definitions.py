"""A type of Spark's as CREATE TABLE takes it: names of fields in quotes, whatever they hold."""

from __future__ import annotations

from typing import Any

from headwater.names import quote_identifier


def type_definition(data_type: Any) -> str:
    """The type's text; a value inside may be NULL, whatever the query promises of it."""
    # The class's own name: PySpark is slow to import, and its types are at hand already.
    match type(data_type).__name__:
        case "ArrayType":
            return f"ARRAY<{type_definition(data_type.elementType)}>"
        case "MapType":
            key, value = type_definition(data_type.keyType), type_definition(data_type.valueType)
            return f"MAP<{key}, {value}>"
        case "StructType":
            return f"STRUCT<{', '.join(_field(field) for field in data_type.fields)}>"
    return str(data_type.simpleString()).upper()


def _field(field: Any) -> str:
    return f"{quote_identifier(field.name)}: {type_definition(field.dataType)}"
