"""A Delta schema as the columns and type texts that DESC shows.

Invariant: the text is Spark's own short form, but always in full: Spark itself cuts a struct of
more than 25 fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.catalog.objects import TableColumn

_SHORT: Mapping[str, str] = {
    "long": "bigint",
    "integer": "int",
    "short": "smallint",
    "byte": "tinyint",
    "decimal": "decimal(10,0)",
    "null": "void",
}
_CHAR_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
_COLLATIONS = "__COLLATIONS"
_PHYSICAL_NAME = "delta.columnMapping.physicalName"


def columns_of(schema: str) -> tuple[TableColumn, ...]:
    """The columns of a `schemaString`."""
    return tuple(
        TableColumn(
            name=column["name"],
            type=column_type(column),
            nullable=bool(column.get("nullable", True)),
            comment=(column.get("metadata") or {}).get("comment"),
            constraint=column_constraint(column.get("metadata") or {}),
        )
        for column in _fields(schema)
    )


def column_constraint(metadata: Mapping[str, Any]) -> str:
    """How a column gets its value when an INSERT leaves it out, as CREATE TABLE writes it."""
    if "delta.generationExpression" in metadata:
        return f"GENERATED ALWAYS AS ({metadata['delta.generationExpression']})"
    if "delta.identity.start" in metadata:
        when = "BY DEFAULT" if metadata.get("delta.identity.allowExplicitInsert") else "ALWAYS"
        start, step = metadata["delta.identity.start"], metadata.get("delta.identity.step", 1)
        return f"GENERATED {when} AS IDENTITY (START WITH {start} INCREMENT BY {step})"
    return f"DEFAULT {metadata['CURRENT_DEFAULT']}" if "CURRENT_DEFAULT" in metadata else ""


def column_type(column: Mapping[str, Any]) -> str:
    """The type text of one field of a schema, with what its metadata adds to it."""
    metadata = column.get("metadata") or {}
    declared = metadata.get(_CHAR_TYPE)
    if declared is not None:
        # Delta stores char and varchar as string; the whole declared type is kept beside it.
        return str(declared)
    return type_text(
        column["type"], path=column["name"], collations=metadata.get(_COLLATIONS) or {}
    )


def type_text(
    kind: str | Mapping[str, Any], *, path: str = "", collations: Mapping[str, str] | None = None
) -> str:
    """Spark's short text of a type; `collations` are those of the strings inside, by path."""
    named = collations or {}
    if isinstance(kind, str):
        collation = named.get(path) if kind == "string" else None
        text = _SHORT.get(kind, kind)
        return f"{text} collate {collation.split('.', 1)[-1]}" if collation else text
    match kind["type"]:
        case "array":
            element = type_text(kind["elementType"], path=f"{path}.element", collations=collations)
            return f"array<{element}>"
        case "map":
            key = type_text(kind["keyType"], path=f"{path}.key", collations=collations)
            value = type_text(kind["valueType"], path=f"{path}.value", collations=collations)
            return f"map<{key},{value}>"
        case "struct":
            inner = (f"{field['name']}:{column_type(field)}" for field in kind["fields"])
            return f"struct<{','.join(inner)}>"
        case "udt":
            return type_text(kind["sqlType"], path=path, collations=collations)
        case other:
            return str(other)


def cluster_columns_of(configuration: str, schema: str | None) -> tuple[str, ...]:
    """The clustering columns of the domain `delta.clustering`, under the names users know.

    Delta stores physical names; `schema` maps them back and is None when they are the logical ones.
    """
    paths: Sequence[Sequence[str]] = json.loads(configuration).get("clusteringColumns") or ()
    if schema is None:
        return tuple(".".join(path) for path in paths)
    fields = _fields(schema)
    return tuple(".".join(_logical_path(path, fields)) for path in paths)


def _logical_path(path: Sequence[str], fields: Sequence[Mapping[str, Any]]) -> list[str]:
    logical: list[str] = []
    for physical in path:
        found = next((f for f in fields if physical_name(f) == physical), None)
        if found is None:
            return [*logical, *path[len(logical) :]]
        logical.append(found["name"])
        kind = found["type"]
        fields = kind.get("fields", ()) if isinstance(kind, dict) else ()
    return logical


def physical_name(field: Mapping[str, Any]) -> str:
    return str((field.get("metadata") or {}).get(_PHYSICAL_NAME, field["name"]))


def _fields(schema: str) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = json.loads(schema)["fields"]
    return fields
