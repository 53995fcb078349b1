"""Whether files written under one definition of a table can be read under a later one.

Files know their columns by physical names, which a rename keeps. Read under a later definition they
give its columns: NULL where a column came later, a wider type where it was widened. They must not
be read where a name means another column, or a value another type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.lake.delta_log.actions import Metadata
from headwater.lake.delta_log.spark_types import physical_name

_TRACKING = "delta.enableRowTracking"
_ROW_COLUMNS = (
    "delta.rowTracking.materializedRowIdColumnName",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
)
# What Delta's type widening knows, and what each reader of Parquet does.
_WIDER: Mapping[str, tuple[str, ...]] = {
    "byte": ("short", "integer", "long", "double"),
    "short": ("integer", "long", "double"),
    "integer": ("long", "double"),
    "float": ("double",),
    "date": ("timestamp_ntz",),
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
# Digits before the point that a decimal needs for such a number.
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}

Fields = Sequence[Mapping[str, Any]]


def unreadable_because(written: Metadata, following: Metadata, now: Metadata) -> str | None:
    """Why files written under one definition cannot be read now; None if they can.

    `following` is the definition after `written`. ALTER TABLE and RESTORE bring columns or take
    some away; a step that does both puts other columns in the place of those there were.
    """
    old, new, last = _fields(written), _fields(following), _fields(now)
    if _partitioning(written, old) != _partitioning(now, last):
        return "the table is partitioned differently"
    if replaced := _replaced(old, new):
        return f"column '{replaced}' was replaced by others"
    if other := _of_other_type(old, last):
        return f"column '{other}' has another type"
    return None


def keeps_row_ids(definitions: Sequence[Metadata]) -> bool:
    """Whether rows have had ids under all these definitions, kept in the same columns."""
    kept = {tuple(found.configuration.get(key) for key in _ROW_COLUMNS) for found in definitions}
    return len(kept) == 1 and all(
        found.configuration.get(_TRACKING, "").lower() == "true" for found in definitions
    )


def _replaced(before: Fields, after: Fields) -> str | None:
    """A column that went in a step that brought others, however deep inside."""
    old = {physical_name(field): field for field in before}
    new = {physical_name(field): field for field in after}
    went = [field["name"] for name, field in old.items() if name not in new]
    if went and not new.keys() <= old.keys():
        return str(went[0])
    for name, field in old.items():
        inside = (
            _replaced(_inner(field["type"]), _inner(new[name]["type"])) if name in new else None
        )
        if inside is not None:
            return f"{field['name']}.{inside}"
    return None


def _inner(kind: Any) -> Fields:
    """The fields of a struct, also of one in an array or a map."""
    if isinstance(kind, str):
        return ()
    if kind["type"] == "struct":
        fields: Fields = kind["fields"]
        return fields
    parts = [kind[part] for part in ("elementType", "keyType", "valueType") if part in kind]
    return [field for part in parts for field in _inner(part)]


def _of_other_type(before: Fields, after: Fields) -> str | None:
    old = {physical_name(field): field["type"] for field in before}
    for field in after:
        name = physical_name(field)
        if name in old and not _can_become(old[name], field["type"]):
            return str(field["name"])
    return None


def _can_become(old: Any, new: Any) -> bool:
    if isinstance(old, str) and isinstance(new, str):
        return old == new or _is_wider(old, new)
    if isinstance(old, str) or isinstance(new, str) or old["type"] != new["type"]:
        return False
    match old["type"]:
        case "array":
            return _can_become(old["elementType"], new["elementType"])
        case "map":
            parts = ("keyType", "valueType")
            return all(_can_become(old[part], new[part]) for part in parts)
        case "struct":
            return _of_other_type(old["fields"], new["fields"]) is None
        case _:
            return bool(old == new)


def _is_wider(old: str, new: str) -> bool:
    if new in _WIDER.get(old, ()):
        return True
    wide = _DECIMAL.fullmatch(new)
    if wide is None:
        return False
    digits, scale = int(wide[1]) - int(wide[2]), int(wide[2])
    if old in _DIGITS:
        return digits >= _DIGITS[old]
    narrow = _DECIMAL.fullmatch(old)
    return (
        narrow is not None and digits >= int(narrow[1]) - int(narrow[2]) and scale >= int(narrow[2])
    )


def _partitioning(metadata: Metadata, fields: Fields) -> list[str]:
    physical = {field["name"]: physical_name(field) for field in fields}
    return [physical.get(name, name) for name in metadata.partition_columns]


def _fields(metadata: Metadata) -> Fields:
    fields: Fields = json.loads(metadata.schema)["fields"]
    return fields
